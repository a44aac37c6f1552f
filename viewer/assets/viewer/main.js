// The viewer: ties run, camera, painter and player together.

/** The force network appears and fades within so many seconds. */
const FADE_SECONDS = 0.35;

class Viewer {
  constructor(run) {
    this.run = run;
    this.camera = new Camera(run);
    this.canvas = element("view");
    this.spheres = new Float32Array(4 * run.bodies);
    this.colours = new Uint8Array(4 * run.bodies);
    this.ways = colourings(run);
    this.way = this.ways[0];
    this.chosen = -1;
    this.forcesWanted = false;
    this.network = 0;
    this.player = new Player(run.length, () => this.timeChanged());
    this.chart = new Chart(run, (frame) => {
      this.player.playing = false;
      this.player.seek(frame);
    });
    this.painter = new Painter(this.canvas, run);
    this.fillControls();
    this.listen();
    this.timeChanged();
    this.colouringChanged();
  }

  fillControls() {
    element("colour").replaceChildren(...this.ways.map(({ key, label }) => new Option(label, key)));
    const name = (speed) => `${speed < 1 ? { 0.1: "⅒", 0.25: "¼", 0.5: "½" }[speed] : speed}×`;
    element("speed").replaceChildren(...SPEEDS.map((speed) => new Option(name(speed), speed)));
    element("speed").value = 1;
    element("scrubber").max = this.player.last;
    element("forces").disabled = this.painter.network.count === 0;
    if (this.painter.network.count === 0) {
      element("forces").title = "Forces are known when a run has come to rest";
    }
  }

  listen() {
    listenToPointer(this.canvas, this);
    listenToKeys(this);
    const click = (id, action) => element(id).addEventListener("click", action);
    click("play", () => this.player.toggle());
    click("back", () => this.player.step(-1));
    click("forward", () => this.player.step(1));
    click("loop", () => this.setLoop(!this.player.loop));
    click("forces", () => this.showForces(!this.forcesWanted));
    click("reset", () => this.resetView());
    click("help-open", () => this.toggleHelp());
    click("body-close", () => this.pick(-1));
    element("speed").addEventListener("change", () => (this.player.speed = Number(element("speed").value)));
    element("colour").addEventListener("change", () => this.setColouring(element("colour").value));
    element("scrubber").addEventListener("input", () => {
      this.player.playing = false;
      this.player.seek(Number(element("scrubber").value));
    });
    // Painted at once, or the old picture would be stretched for a moment.
    new ResizeObserver(() => this.paint()).observe(this.canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.painter.readTheme();
      this.repaint();
    });
    this.canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
    this.canvas.addEventListener("webglcontextrestored", () => this.rebuild());
  }

  // What the reader can ask for.

  pick(body) {
    this.chosen = body >= 0 && body < this.run.bodies ? body : -1;
    this.coloursAreNew = true;
    this.bodiesChanged();
  }

  pickAt(x, y) {
    this.pick(Run.bodyOnRay(this.spheres, this.camera.ray(x, y)));
  }

  /** Forces are known at the end of a run: asking for them goes there. */
  showForces(wanted) {
    this.forcesWanted = wanted && this.painter.network.count > 0;
    element("forces").setAttribute("aria-pressed", this.forcesWanted);
    if (this.forcesWanted) {
      this.player.playing = false;
      this.player.seek(this.player.last);
    }
    this.colouringChanged();
  }

  setColouring(key) {
    this.way = this.ways.find((way) => way.key === key) ?? this.way;
    element("colour").value = this.way.key;
    this.colouringChanged();
  }

  nextColouring() {
    this.setColouring(this.ways[(this.ways.indexOf(this.way) + 1) % this.ways.length].key);
  }

  setLoop(on) {
    this.player.loop = on;
    element("loop").setAttribute("aria-pressed", on);
  }

  zoom(factor) {
    this.camera.zoom(factor);
    this.repaint();
  }

  resetView() {
    this.camera.reset();
    this.repaint();
  }

  toggleHelp() {
    const help = element("help");
    if (help.open) help.close();
    else help.showModal();
  }

  // What has to be redone when something changes.

  timeChanged() {
    const { player } = this;
    this.chart.point(player.time);
    describeFrame(this.run, player.frame);
    element("scrubber").value = player.frame;
    element("play").setAttribute("aria-label", player.playing ? "Pause" : "Play");
    element("play-icon").setAttribute("d", player.playing ? "M3.5 2.5h3v11h-3zM9.5 2.5h3v11h-3z" : "M4 2.5v11l9-5.5z");
    this.bodiesChanged();
  }

  bodiesChanged() {
    this.bodiesAreNew = true;
    this.repaint();
  }

  /** Starts again with a graphics card that has forgotten everything. */
  rebuild() {
    this.painter = new Painter(this.canvas, this.run);
    this.colouringChanged();
  }

  colouringChanged() {
    describeColours(this.run, this.way, this.forcesWanted);
    this.coloursAreNew = true;
    this.bodiesChanged();
  }

  /** Asks for a new picture, however often, once. */
  repaint() {
    this.asked ??= requestAnimationFrame((now) => {
      this.asked = undefined;
      this.tick(now);
    });
  }

  tick(now) {
    const seconds = (now - (this.before ?? now)) / 1000;
    this.before = now;
    if (this.player.playing) this.player.advance(seconds);
    const fading = this.fade(seconds);
    this.paint();
    if (this.player.playing || fading) this.repaint();
    else this.before = undefined;
  }

  /** Lets the force network come and go; it belongs to the last frame. */
  fade(seconds) {
    const atEnd = this.player.time > this.player.last - 0.5;
    const goal = this.forcesWanted && atEnd ? 1 : 0;
    const step = matchMedia("(prefers-reduced-motion: reduce)").matches ? 1 : seconds / FADE_SECONDS;
    this.network += clamp(goal - this.network, -step, step);
    return this.network !== goal;
  }

  paint() {
    this.painter.resize();
    this.camera.setAspect(this.canvas.width / this.canvas.height);
    if (this.bodiesAreNew) {
      this.bodiesAreNew = false;
      this.run.place(this.player.time, this.spheres);
      if (this.coloursAreNew || this.way.moving) paint(this.way, this.spheres, this.chosen, this.colours);
      this.coloursAreNew = false;
      this.painter.update(this.spheres, this.colours);
      describeBody(this.run, this.chosen, this.player.time, (body) => this.pick(body));
    }
    this.painter.draw(this.camera, this.network);
  }
}

/** What other scripts, and the tests, may do with the page. */
function publish(viewer) {
  const { player } = viewer;
  window.riprap = {
    frames: () => player.last + 1,
    frame: () => player.frame,
    setFrame: (frame) => player.seek(frame),
    play: () => player.play(),
    pause: () => player.pause(),
    playing: () => player.playing,
    pick: (body) => viewer.pick(body),
    forces: (on) => viewer.showForces(on),
    colour: (key) => viewer.setColouring(key),
  };
}

async function main() {
  const run = await openRun((share) => showMessage(`Unpacking the run … ${Math.round(100 * share)} %`));
  describeRun(run);
  const viewer = new Viewer(run);
  viewer.paint();
  publish(viewer);
  showMessage("");
  document.documentElement.dataset.ready = "true";
  if (location.hash === "#selftest") selftest(viewer);
  else if (!matchMedia("(prefers-reduced-motion: reduce)").matches) viewer.player.play();
}

main().catch((error) => reportFault(error.message));
