// The page's own test: it does what a reader would do and writes down, as JSON
// in the page, what came of it. It waits for nothing, so that the browser may be
// slow, and the picture it leaves behind is always the same.

function selftest(viewer) {
  const { riprap } = window;
  const { player } = viewer;
  const checks = {};

  // Every check starts with a picture that shows all that was asked for.
  const settle = () => {
    player.playing = false;
    viewer.network = viewer.forcesWanted ? 1 : 0;
    viewer.paint();
  };
  const pixels = () => {
    settle();
    const { gl, canvas } = viewer.painter;
    const bytes = new Uint8Array(4 * canvas.width * canvas.height);
    gl.readPixels(0, 0, canvas.width, canvas.height, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
    return bytes;
  };
  const difference = (a, b) => a.reduce((sum, value, k) => sum + Math.abs(value - b[k]), 0) / a.length;

  riprap.setFrame(0);
  checks.startFrame = riprap.frame();
  const start = pixels();
  checks.colours = new Set(new Uint32Array(start.buffer)).size;

  riprap.setFrame(riprap.frames() - 1);
  checks.endFrame = riprap.frame();
  checks.readout = element("readout").textContent;
  const end = pixels();
  checks.motionChanges = difference(start, end);

  riprap.setFrame(0);
  riprap.play();
  checks.playing = riprap.playing();
  for (let now = 0; now < 2000 && player.time < 1; now += 50) viewer.tick(now);
  checks.playedTo = player.time;
  riprap.pause();
  viewer.before = undefined;
  checks.pausedAt = player.time;

  riprap.forces(true);
  checks.forcesAt = riprap.frame();
  checks.forcesPressed = element("forces").getAttribute("aria-pressed");
  checks.forcesChange = difference(end, pixels());
  riprap.forces(false);

  checks.colourings = {};
  for (const { key } of viewer.ways) {
    riprap.colour(key);
    checks.colourings[key] = { change: difference(end, pixels()), legend: element("legend").textContent };
  }
  riprap.colour(viewer.ways[0].key);

  riprap.pick(0);
  settle();
  checks.card = element("body").hidden ? null : element("body").textContent.replace(/\s+/g, " ").trim();
  // The ray through a body's picture finds that body.
  const front = [0, 1, 2].map((axis) => viewer.spheres[axis]);
  const { right, up, back } = viewer.camera.axes;
  const offset = subtract(front, viewer.camera.eye);
  const depth = viewer.run.flat ? viewer.camera.distance : -dot(offset, back);
  viewer.pickAt(dot(offset, right) / (depth * TANGENT * viewer.camera.aspect), dot(offset, up) / (depth * TANGENT));
  checks.rayFinds = viewer.chosen >= 0;
  riprap.pick(-1);
  settle();
  checks.cardHidden = element("body").hidden;

  viewer.camera.turn(0.2, 0.1);
  viewer.camera.zoom(0.7, 0.2, 0.2);
  checks.viewChanges = difference(end, pixels());
  viewer.resetView();
  checks.resetRestores = difference(end, pixels());

  // A graphics card may forget everything at any time.
  viewer.rebuild();
  checks.rebuildRestores = difference(end, pixels());

  viewer.setLoop(true);
  player.seek(player.last);
  player.playing = true;
  player.advance(0.25);
  checks.loopsTo = riprap.frame();
  viewer.setLoop(false);

  riprap.pause();
  riprap.setFrame(Math.floor(0.6 * player.last));
  settle();
  checks.graphicsError = viewer.painter.gl.getError();
  const result = Object.assign(document.createElement("script"), {
    id: "selftest-result",
    type: "application/json",
    textContent: JSON.stringify({ checks, faults }).replaceAll("<", "\\u003c"),
  });
  document.body.append(result);
}
