// Colours of bodies: which quantity, which scale, which legend.

/** Red, green and blue (0..255) of "#rrggbb". */
function channels(colour) {
  const number = parseInt(colour.slice(1), 16);
  return [(number >> 16) & 255, (number >> 8) & 255, number & 255];
}

/** The colour at a share (0..1) of the way through some stops. */
function along(stops, share) {
  const place = clamp(share || 0, 0, 1) * (stops.length - 1);
  const first = Math.min(Math.floor(place), stops.length - 2);
  const [a, b] = [stops[first], stops[first + 1]];
  return [0, 1, 2].map((k) => a[k] + (b[k] - a[k]) * (place - first));
}

/** 256 colours along some stops: bodies are many, and mixing takes time. */
const tableOf = (stops) => Array.from({ length: 256 }, (_, k) => along(stops, k / 255));

function rangeOf(values) {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) [low, high] = [Math.min(low, value), Math.max(high, value)];
  return [low, high];
}

/** Two numbers so close that they mean the same. */
const alike = ([low, high]) => !(high - low > 1e-6 * Math.max(Math.abs(low), Math.abs(high)));

/** The ways of colouring that make sense for a run. */
function colourings(run) {
  const start = run.spheres(0);
  const bodies = Array.from({ length: run.bodies }, (_, i) => i);
  const distinct = run.palette.map(channels);
  const scale = run.scale.map(channels);
  const down = length(run.gravity) > 0 ? unit(run.gravity) : scaled(run.up, -1);
  const height = (i) => -dot(down, add([start[4 * i], start[4 * i + 1], start[4 * i + 2]], run.origin));
  const ways = [];

  const measured = (key, label, value, stops = scale) => {
    const range = rangeOf(bodies.map(value));
    if (!alike(range)) ways.push({ key, label, range, stops, value, table: tableOf(stops) });
  };

  if (run.groups.length > 1) {
    const ofGroup = (number) => distinct[number % distinct.length];
    const keys = run.groups.map((name, number) => ({ name, colour: ofGroup(number) }));
    ways.push({ key: "group", label: "Group", keys, colour: (i) => ofGroup(run.group[i]) });
  }
  ways.push({ key: "mix", label: "Mix", keys: [], colour: (i) => run.mix.subarray(3 * i, 3 * i + 3) });
  measured("height", "Start height", height);
  measured("radius", "Radius", (i) => run.radius[i]);
  // How far bodies get is only known on the way, but at the end it is a good guess of the range.
  const end = run.spheres(run.last);
  const apart = (now) => (i) =>
    Math.hypot(now[4 * i] - start[4 * i], now[4 * i + 1] - start[4 * i + 1], now[4 * i + 2] - start[4 * i + 2]);
  const farthest = rangeOf(bodies.map(apart(end)))[1];
  if (farthest > 0) {
    const range = [0, farthest];
    ways.push({ key: "displacement", label: "Displacement", range, stops: scale, moving: apart, table: tableOf(scale) });
  }
  if (run.contacts.some((list) => list.length > 0)) {
    measured("force", "Contact force (end)", (i) => run.load(i), run.forceScale.map(channels));
  }
  return ways;
}

/** Fills `colours` (red, green, blue, mark) for the bodies at `spheres`; the mark is 0 for the chosen body. */
function paint(way, spheres, chosen, colours) {
  const value = way.moving ? way.moving(spheres) : way.value;
  const [low, high] = way.range ?? [0, 1];
  for (let i = 0; i < spheres.length / 4; i++) {
    const colour = value ? way.table[Math.round(255 * clamp((value(i) - low) / (high - low), 0, 1))] : way.colour(i);
    colours[4 * i] = colour[0];
    colours[4 * i + 1] = colour[1];
    colours[4 * i + 2] = colour[2];
    colours[4 * i + 3] = i === chosen ? 0 : 255;
  }
}

/** Force as a share of the largest one; few forces are large, so the root spreads the small ones. */
const forceShare = (force, largest) => Math.sqrt(Math.abs(force) / (largest || 1));

const cssColour = (colour) => `rgb(${colour.map(Math.round).join(" ")})`;
const cssGradient = (stops) => `linear-gradient(90deg, ${stops.map(cssColour).join(", ")})`;
