// The page's own test: it does what a reader would do and writes down, as JSON
// in the page, what came of it. It waits for nothing, so that the browser may be
// slow, and the picture it leaves behind is always the same.

/** What the reader needs at hand, without scrolling. */
const AT_HAND = ["view", "name", "outcome", "colour", "forces", "reset", "help-open", "chart", "back", "play", "forward", "loop", "speed", "readout"];

/** Every check starts with a picture that shows all that was asked for. */
function settled(viewer) {
  viewer.player.playing = false;
  viewer.network = viewer.forcesWanted && viewer.list >= 0 ? 1 : 0;
  viewer.paint();
}

function pixelsOf(viewer) {
  settled(viewer);
  const { gl, canvas } = viewer.painter;
  const bytes = new Uint8Array(4 * canvas.width * canvas.height);
  gl.readPixels(0, 0, canvas.width, canvas.height, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
  return bytes;
}

/** Pictures of different sizes have no difference: the canvas must keep its size. */
const difference = (a, b) =>
  a.length === b.length ? a.reduce((sum, value, k) => sum + Math.abs(value - b[k]), 0) / a.length : "another size";

/** What a reader of a report would do. */
function selftestReport(viewer) {
  const { riprap } = window;
  const controls = AT_HAND.filter((id) => !element(id).closest("[hidden]"));
  const pixels = () => pixelsOf(viewer);
  const checks = { window: [innerWidth, innerHeight], outOfSight: [...controls, "apart"].filter(isOutOfSight) };
  riprap.setFrame(0);
  const start = pixels();
  checks.colours = new Set(new Uint32Array(start.buffer)).size;
  checks.outcome = element("outcome").textContent;
  checks.way = element("colour").value;
  checks.legend = element("legend").textContent;
  checks.arrows = viewer.painter.arrows.count;
  riprap.apart(0.5);
  checks.apartChanges = difference(start, pixels());
  riprap.apart(0);
  checks.togetherRestores = difference(start, pixels());
  riprap.forces(false);
  checks.forcesChange = difference(start, pixels());
  riprap.forces(true);
  checks.csv = csvOf(document.querySelector("button.csv").parentElement.querySelector("table"));
  checks.timeline = !element("timeline").hidden;
  riprap.setFrame(riprap.frames() - 1);
  checks.readout = element("readout").textContent;
  riprap.forces(false);
  riprap.setFrame(0);
  const bare = pixels();
  riprap.setFrame(riprap.frames() - 1);
  checks.motionChanges = difference(bare, pixels());
  checks.graphicsError = viewer.painter.gl.getError();
  tell({ checks, faults });
}

function selftest(viewer) {
  const { riprap } = window;
  const { player, run } = viewer;
  const checks = { window: [innerWidth, innerHeight], canvas: [viewer.canvas.width, viewer.canvas.height], outOfSight: AT_HAND.filter(isOutOfSight) };
  const [settle, pixels] = [() => settled(viewer), () => pixelsOf(viewer)];

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
  checks.scrub = testScrubbing(viewer);

  riprap.setFrame(player.last);
  riprap.forces(true);
  checks.forcesAt = riprap.frame();
  checks.forcesPressed = element("forces").getAttribute("aria-pressed");
  checks.forcesLegend = element("legend").textContent;
  checks.forcesChange = difference(end, pixels());
  riprap.forces(false);

  checks.joints = element("joints").hidden ? null : viewer.painter.joints.count;
  riprap.joints(false);
  checks.jointsChange = difference(end, pixels());
  riprap.joints(true);

  checks.colourings = {};
  for (const { key } of viewer.ways) {
    riprap.colour(key);
    checks.colourings[key] = { change: difference(end, pixels()), legend: element("legend").textContent };
  }
  riprap.colour(viewer.ways[0].key);

  // A body that is not fixed, and its card.
  const body = run.fixed.indexOf(0);
  riprap.pick(body);
  checks.pickChange = difference(end, pixels());
  checks.card = element("body").hidden ? null : element("body").textContent.replace(/\s+/g, " ").trim();
  // The ray through a body's picture finds that body, or one in front of it.
  viewer.pickAt(...placeOnScreen(viewer, body));
  checks.rayFinds = viewer.chosen >= 0;
  riprap.pick(-1);
  settle();
  checks.cardHidden = element("body").hidden;

  viewer.camera.turn(0.2, 0.1);
  viewer.camera.zoom(0.7, 0.2, 0.2);
  checks.viewChanges = difference(end, pixels());
  viewer.resetView();
  checks.resetRestores = difference(end, pixels());

  checks.pointer = testPointer(viewer, body);
  checks.keys = testKeys(viewer);
  checks.inputRestores = difference(end, pixels());

  // A graphics card may forget everything at any time.
  viewer.rebuild();
  checks.rebuildRestores = difference(end, pixels());

  viewer.setLoop(true);
  player.seek(player.last);
  player.playing = true;
  player.advance(0.25);
  checks.loopsTo = riprap.frame();
  viewer.setLoop(false);

  checks.milliseconds = testSpeed(viewer);
  riprap.pause();
  riprap.setFrame(Math.floor(0.6 * player.last));
  settle();
  checks.graphicsError = viewer.painter.gl.getError();
  tell({ checks, faults });
}

/** Leaves the findings in the page, and tells a page around this one. */
function tell(findings) {
  const textContent = JSON.stringify(findings).replaceAll("<", "\\u003c");
  const result = document.createElement("script");
  document.body.append(Object.assign(result, { id: "selftest-result", type: "application/json", textContent }));
  if (window.parent !== window) window.parent.postMessage(textContent, "*");
}

/** Whether an element is not wholly within the window, or is covered by another. */
function isOutOfSight(id) {
  const box = element(id).getBoundingClientRect();
  const inside = box.width > 0 && box.left >= 0 && box.top >= 0 && box.right <= innerWidth && box.bottom <= innerHeight;
  const seen = document.elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2);
  return !inside || !(element(id).contains(seen) || seen?.contains(element(id)));
}

/** The time for the best of some new pictures, read back to be sure that they are ready. */
function testSpeed(viewer) {
  const { gl } = viewer.painter;
  const pixel = new Uint8Array(4);
  let best = Infinity;
  for (let k = 0; k < 4; k++) {
    viewer.player.seek((k + 0.5) % (viewer.player.last + 1));
    const before = performance.now();
    viewer.paint();
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    best = Math.min(best, performance.now() - before);
  }
  return best;
}

/**
 * Drags along the chart, and moves the scrubber; says to which frames that leads, and how many
 * places of the chart are deaf. Pointers go to whatever is on top at their place, as real ones do.
 */
function testScrubbing(viewer) {
  const chart = element("chart");
  const box = chart.getBoundingClientRect();
  // Only real pointers can be captured.
  let held = false;
  Object.assign(chart, { setPointerCapture: () => (held = true), hasPointerCapture: () => held });
  const send = (type, across, down) => {
    const place = { clientX: box.left + across * (box.width - 1), clientY: box.top + down * (box.height - 1) };
    const hit = document.elementFromPoint(place.clientX, place.clientY);
    // Nothing that is disabled hears a real pointer.
    if (!hit?.disabled) hit?.dispatchEvent(new PointerEvent(type, { pointerId: 1, bubbles: true, ...place }));
    return { frame: viewer.player.frame, button: hit?.closest("button:not(:disabled)") };
  };
  let deaf = 0;
  for (const down of [0.05, 0.15, 0.3, 0.5, 0.7, 0.95]) {
    for (let across = 0; across <= 1; across += 0.05) {
      const wanted = viewer.chart.frameAt((across * (box.width - 1)) / box.width);
      viewer.player.seek(wanted === 0 ? viewer.player.last : 0);
      const { frame, button } = send("pointerdown", across, down);
      if (!button && Math.abs(frame - wanted) > 1) deaf += 1;
    }
  }
  const found = { deaf, click: send("pointerdown", 0.5, 0.5).frame, drag: send("pointermove", 1, 0.5).frame };
  delete chart.setPointerCapture;
  delete chart.hasPointerCapture;
  element("scrubber").value = 1;
  element("scrubber").dispatchEvent(new Event("input"));
  return { ...found, slide: viewer.player.frame };
}

/** Drags, pinches, wheels and clicks in the middle of the canvas; says what each of them changed. */
function testPointer(viewer, body) {
  const { canvas, camera } = viewer;
  // Only real pointers can be captured.
  canvas.setPointerCapture = () => {};
  const box = canvas.getBoundingClientRect();
  const send = (type, pointerId, x, y, more = {}) => {
    const place = { clientX: box.left + box.width / 2 + x, clientY: box.top + box.height / 2 + y };
    canvas.dispatchEvent(new PointerEvent(type, { pointerId, ...place, ...more }));
  };
  const state = () => ({
    azimuth: camera.azimuth,
    target: camera.target.join(),
    distance: camera.distance,
    chosen: viewer.chosen,
  });
  /** The names of what an action changed. */
  const changes = (action) => {
    const before = state();
    action();
    const after = state();
    viewer.resetView();
    viewer.pick(-1);
    return Object.keys(before).filter((key) => before[key] !== after[key]).join(" ");
  };
  const drag = (buttons, pointerType) => () => {
    send("pointerdown", 1, 0, 0, { buttons, pointerType });
    send("pointermove", 1, 30, 20, { buttons, pointerType });
    send("pointerup", 1, 30, 20, { pointerType });
  };
  const [x, y] = placeOnScreen(viewer, body);
  const found = {
    drag: changes(drag(1, "mouse")),
    finger: changes(drag(1, "touch")),
    rightDrag: changes(drag(2, "mouse")),
    click: changes(() => {
      const at = [(x * box.width) / 2, (-y * box.height) / 2];
      send("pointerdown", 1, ...at, { buttons: 1 });
      send("pointerup", 1, ...at);
    }),
    pinch: changes(() => {
      send("pointerdown", 1, -20, 0, { buttons: 1, pointerType: "touch" });
      send("pointerdown", 2, 20, 0, { buttons: 1, pointerType: "touch" });
      send("pointermove", 2, 60, 0, { buttons: 1, pointerType: "touch" });
      send("pointerup", 1, -20, 0, { pointerType: "touch" });
      send("pointerup", 2, 60, 0, { pointerType: "touch" });
    }),
    wheel: changes(() => canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: 100, cancelable: true }))),
  };
  delete canvas.setPointerCapture;
  return found;
}

/** Where the centre of a body is in the window, each coordinate in -1..1. */
function placeOnScreen({ run, camera, poses }, body) {
  const offset = subtract([0, 1, 2].map((axis) => poses.places[4 * body + axis]), camera.eye);
  const depth = run.flat ? camera.distance : -dot(offset, camera.axes.back);
  const half = depth * TANGENT;
  return [dot(offset, camera.axes.right) / (half * camera.aspect), dot(offset, camera.axes.up) / half];
}

/** Presses keys; says where that led. */
function testKeys(viewer) {
  const { player } = viewer;
  const press = (key, more = {}) =>
    viewer.canvas.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more }));
  const found = {};
  press("Home");
  found.home = player.frame;
  press("ArrowRight");
  press("ArrowRight");
  press("ArrowLeft");
  found.arrows = player.frame;
  press(" ");
  found.playing = player.playing;
  press(" ");
  found.paused = !player.playing;
  press("f");
  found.forces = viewer.forcesWanted;
  press("F", { shiftKey: true });
  found.noForces = !viewer.forcesWanted;
  press("j");
  found.noJoints = !viewer.jointsWanted;
  press("j");
  found.joints = viewer.jointsWanted;
  press("c");
  found.colour = element("colour").value;
  viewer.setColouring(viewer.ways[0].key);
  press("h");
  found.help = element("help").open;
  press("h");
  found.noHelp = !element("help").open;
  press("End");
  found.end = player.frame;
  return found;
}
