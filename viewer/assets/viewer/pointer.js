// Mouse, fingers and keys.

/** A press that moves less than this many pixels is a click. */
const STILL = 5;

/** Turns what the reader does on the canvas into calls of the viewer. */
function listenToPointer(canvas, viewer) {
  const fingers = new Map();
  let travelled = 0;

  const inWindow = ({ clientX, clientY }) => {
    const box = canvas.getBoundingClientRect();
    return [(2 * (clientX - box.left)) / box.width - 1, 1 - (2 * (clientY - box.top)) / box.height];
  };
  const middle = () => {
    const all = [...fingers.values()];
    const mean = (key) => all.reduce((sum, finger) => sum + finger[key], 0) / all.length;
    return { clientX: mean("clientX"), clientY: mean("clientY") };
  };
  const spread = () => {
    const [a, b] = fingers.values();
    return Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY) || 1;
  };

  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    if (fingers.size === 0) travelled = 0;
    fingers.set(event.pointerId, event);
  });

  canvas.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) {
      if (viewer.run.exhibit && event.buttons === 0) viewer.nameAt(...inWindow(event));
      return;
    }
    const [oldMiddle, oldSpread] = [middle(), fingers.size === 2 ? spread() : 1];
    fingers.set(event.pointerId, event);
    const now = middle();
    const [x, y] = [now.clientX - oldMiddle.clientX, now.clientY - oldMiddle.clientY];
    travelled += Math.hypot(x, y);
    const height = canvas.clientHeight || 1;
    const moves = fingers.size > 1 || event.shiftKey || (event.buttons & 6) !== 0 || viewer.run.flat;
    if (moves) viewer.camera.move(x / height, y / height);
    else viewer.camera.turn(x / height, y / height);
    if (fingers.size === 2) viewer.camera.zoom(oldSpread / spread(), ...inWindow(now));
    viewer.repaint();
  });

  const release = (event) => {
    const clicked = fingers.size === 1 && travelled < STILL && event.type === "pointerup" && event.button === 0;
    if (clicked) viewer.pickAt(...inWindow(event));
    fingers.delete(event.pointerId);
  };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());

  const wheel = (event) => {
    event.preventDefault();
    // Wheels count in pixels, lines or pages.
    const pixels = event.deltaY * [1, 16, 100][event.deltaMode];
    viewer.camera.zoom(Math.exp(clamp(pixels, -200, 200) * 0.0018), ...inWindow(event));
    viewer.repaint();
  };
  canvas.addEventListener("wheel", wheel, { passive: false });
}

/** Keys work anywhere on the page, except where they already mean something. */
function listenToKeys(viewer) {
  const { player } = viewer;
  const actions = {
    " ": () => player.toggle(),
    ArrowLeft: (event) => player.step(event.shiftKey ? -10 : -1),
    ArrowRight: (event) => player.step(event.shiftKey ? 10 : 1),
    Home: () => player.seek(0),
    End: () => player.seek(player.last),
    "+": () => viewer.zoom(0.8),
    "-": () => viewer.zoom(1.25),
    c: () => viewer.nextColouring(),
    f: () => viewer.showForces(!viewer.forcesWanted),
    j: () => viewer.showJoints(!viewer.jointsWanted),
    h: () => viewer.toggleHelp(),
    "?": () => viewer.toggleHelp(),
    l: () => viewer.setLoop(!player.loop),
    r: () => viewer.resetView(),
    Escape: () => viewer.pick(-1),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    const busy = event.target.closest("select, summary, dialog, #apart") ||
      (event.target.closest("button") && event.key === " ");
    if (!action || busy) return;
    event.preventDefault();
    action(event);
  });
}
