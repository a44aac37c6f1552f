// The viewer: ties run, camera, painter and player together.

/** The force network appears and fades within so many seconds. */
const FADE_SECONDS = 0.35;

class Viewer {
  constructor(run) {
    this.run = run;
    this.camera = new Camera(run);
    this.canvas = element("view");
    this.picker = new Picker(run);
    this.poses = run.poses();
    // Where bodies are, whether or not they are shown apart.
    this.together = run.exhibit ? run.poses() : this.poses;
    this.apart = 0;
    this.speeds = new Float32Array(run.bodies);
    this.colours = new Uint8Array(4 * run.bodies);
    this.ways = colourings(run);
    this.way = this.ways[0];
    this.chosen = -1;
    this.forcesWanted = false;
    this.jointsWanted = true;
    this.network = 0;
    this.player = new Player(run.length, () => this.timeChanged());
    this.chart = new Chart(run, (frame) => {
      this.player.playing = false;
      this.player.seek(frame);
    });
    this.painter = new Painter(this.canvas, run);
    if (run.exhibit) this.fillReport();
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
    const { known } = this.run.forces;
    element("forces").disabled = !known;
    if (!known) {
      const none = "This run has no forces in contacts";
      element("forces").title = this.run.timed ? none : "Forces are known when a run has come to rest";
    }
    element("joints").hidden = this.painter.joints.count === 0;
  }

  /** What a report has besides. */
  fillReport() {
    element("apart-label").hidden = !this.run.exhibit.loose;
    element("apart").addEventListener("input", () => this.takeApart(Number(element("apart").value)));
    element("timeline").hidden = this.run.last === 0;
    this.player.loop = true;
    element("loop").setAttribute("aria-pressed", true);
    this.forcesWanted = this.run.forces.known;
    this.network = this.forcesWanted ? 1 : 0;
    element("forces").setAttribute("aria-pressed", this.forcesWanted);
    listenToReport();
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
    click("joints", () => this.showJoints(!this.jointsWanted));
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
    this.pick(this.picker.bodyOnRay(this.poses, this.camera.ray(x, y)));
  }

  /** Whoever is under the pointer is told by its number, by which answers name bodies. */
  nameAt(x, y) {
    const body = this.picker.bodyOnRay(this.poses, this.camera.ray(x, y));
    this.canvas.title = body < 0 ? "" : nameOf(this.run, body);
  }

  /** Forces at rest are known at the end of a run: asking for them goes there. */
  showForces(wanted) {
    const { forces, timed } = this.run;
    this.forcesWanted = wanted && forces.known;
    element("forces").setAttribute("aria-pressed", this.forcesWanted);
    // Those of a report belong to its first frame.
    const { exhibit } = this.run;
    if (this.forcesWanted && !timed) {
      this.player.playing = false;
      this.player.seek(exhibit ? 0 : this.player.last);
    }
    this.colouringChanged();
  }

  takeApart(share) {
    this.apart = this.camera.apart = clamp(share, 0, 1);
    element("apart").value = this.apart;
    if (this.camera.untouched) this.camera.reset();
    this.painter.apart(this.apart);
    this.bodiesChanged();
  }

  showJoints(wanted) {
    this.jointsWanted = wanted;
    element("joints").setAttribute("aria-pressed", wanted);
    this.repaint();
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
    const list = this.run.forces.listAt(player.time);
    const isNew = list !== this.list;
    this.list = list;
    if (isNew && this.forcesWanted && !this.run.exhibit) describeColours(this.run, this.way, list);
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
    this.painter.apart(this.apart);
    this.colouringChanged();
  }

  colouringChanged() {
    // The arrows of a report are what they are while the fall plays.
    const list = this.run.exhibit ? 0 : this.list;
    describeColours(this.run, this.way, this.forcesWanted ? list : -1);
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

  /** Lets the force network come and go, where forces are known. */
  fade(seconds) {
    const goal = this.forcesWanted && this.list >= 0 ? 1 : 0;
    const step = matchMedia("(prefers-reduced-motion: reduce)").matches ? 1 : seconds / FADE_SECONDS;
    this.network += clamp(goal - this.network, -step, step);
    return this.network !== goal;
  }

  paint() {
    this.painter.resize();
    this.camera.setAspect(this.canvas.width / this.canvas.height);
    const { run, player, poses } = this;
    if (this.bodiesAreNew) {
      this.bodiesAreNew = false;
      run.place(player.time, this.together);
      if (run.exhibit) {
        takeApart(run, this.together, this.apart, poses);
        poses.turns.set(this.together.turns);
      }
      if (this.coloursAreNew || this.way.moving) paint(run, this.way, player.time, poses, this.chosen, this.colours);
      this.coloursAreNew = false;
      this.painter.update(poses, this.colours);
      describeBody(run, this.chosen, player.time, this.together, this.speeds, (body) => this.pick(body));
    }
    // Bars that fade away stay those that were shown last.
    if (this.list >= 0) this.range = run.forces.range(this.list);
    const wanted = { joints: this.jointsWanted, outline: this.list >= 0 };
    this.painter.draw(this.camera, this.network, this.range ?? [0, 0], wanted);
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
    joints: (on) => viewer.showJoints(on),
    apart: (share) => viewer.takeApart(share),
    colour: (key) => viewer.setColouring(key),
  };
}

/** What a link to the page may ask for, as in `#frame=12&colour=speed&forces=1&pick=3`, of a report also `apart=0.5`. */
function followAddress(viewer) {
  const asked = new URLSearchParams(location.hash.slice(1));
  if (asked.has("colour")) viewer.setColouring(asked.get("colour"));
  if (asked.has("forces")) viewer.showForces(asked.get("forces") !== "0");
  if (asked.has("pick")) viewer.pick(Number(asked.get("pick")));
  if (asked.has("apart") && viewer.run.exhibit) viewer.takeApart(Number(asked.get("apart")));
  if (asked.has("frame")) viewer.player.seek(Number(asked.get("frame")) || 0);
  return asked.has("frame") || asked.has("forces");
}

async function main() {
  const run = await openRun((share) => showMessage(`Unpacking the run … ${Math.round(100 * share)} %`));
  describeRun(run);
  const viewer = new Viewer(run);
  viewer.paint();
  publish(viewer);
  showMessage("");
  document.documentElement.dataset.ready = "true";
  if (location.hash === "#selftest") (run.exhibit ? selftestReport : selftest)(viewer);
  // A report begins with what was asked about, and not with its fall.
  else if (!followAddress(viewer) && !run.exhibit && !matchMedia("(prefers-reduced-motion: reduce)").matches) viewer.player.play();
}

main().catch((error) => reportFault(error.message));
