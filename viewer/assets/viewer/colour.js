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

/** How much of the colour of a fixed body gives way to this grey. */
const PALE = { share: 0.75, grey: [190, 187, 180] };

/** The ways of colouring that make sense for a run. Values are lists with a number for each body. */
function colourings(run) {
  const bodies = Array.from({ length: run.bodies }, (_, i) => i);
  const distinct = run.palette.map(channels);
  const scale = run.scale.map(channels);
  const ways = [];
  const stored = (name) => {
    const colours = run.array(name);
    return (i) => colours.subarray(3 * i, 3 * i + 3);
  };

  if (run.groups.length > 1) {
    const keys = run.groups.map((name, number) => ({ name, colour: distinct[number % distinct.length] }));
    ways.push({ key: "group", label: "Group", keys, colour: stored("by group") });
  }
  const mix = { key: "mix", label: run.coloured ? "Own colour" : "Body", keys: [], colour: stored("by body") };
  // The first is what the reader sees at first.
  if (run.groupsTell) ways.push(mix);
  else ways.unshift(mix);

  const still = (key, label, value) => {
    const values = Float32Array.from(bodies, value);
    const range = rangeOf(values.filter((_, i) => !run.fixed[i]));
    if (range[0] < range[1] && !alike(range)) ways.push({ key, label, range, stops: scale, values: () => values });
  };
  const down = length(run.gravity) > 0 ? unit(run.gravity) : scaled(run.up, -1);
  still("height", "Start height", (i) => -dot(down, add(run.start.subarray(3 * i, 3 * i + 3), run.origin)));
  still("radius", "Radius", (i) => run.radius[i]);

  // A report has colours of its own; what bodies do on the way is not measured there.
  if (run.exhibit) ways.unshift(...shadings(run));
  else ways.push(...movingColourings(run, scale));
  for (const way of ways) if (way.range) way.table = tableOf(way.stops);
  return ways;
}

/** The ways whose values change with time. */
function movingColourings(run, scale) {
  const ways = [];
  const moving = (key, label, range, values, stops = scale) => {
    if (range[1] > 0) ways.push({ key, label, range, stops, values, moving: true });
  };
  // How far bodies get is only known on the way, but at the end it is a good guess of the range.
  const end = run.poses();
  run.place(run.last, end);
  const apart = new Float32Array(run.bodies);
  const distances = (poses) => {
    for (let i = 0; i < run.bodies; i++) {
      apart[i] = Math.hypot(
        poses.places[4 * i] - run.start[3 * i],
        poses.places[4 * i + 1] - run.start[3 * i + 1],
        poses.places[4 * i + 2] - run.start[3 * i + 2],
      );
    }
    return apart;
  };
  moving("displacement", "Displacement", [0, rangeOf(distances(end))[1]], (_, poses) => distances(poses));
  const speeds = new Float32Array(run.bodies);
  const label = run.timed ? "Speed" : "Way per step";
  moving("speed", label, [0, usualSpeed(run, speeds)], (time) => run.speeds(time, speeds));
  if (run.forces.known) {
    let most = 0;
    for (let list = 0; list < run.forces.frames.length; list++) most = Math.max(most, ...rangeOf(run.forces.loadsAt(list)));
    const values = (time) => run.forces.loadsAt(run.forces.listAt(time));
    // A blow is much stronger than what stands: few bodies would have a colour otherwise.
    const range = [0, Math.min(most, 4 * run.strong)];
    moving("force", run.timed ? "Contact force" : "Contact force (end)", range, values, run.forceScale.map(channels));
  }
  return ways;
}

/** A speed that few bodies exceed: the upper end of a scale. */
function usualSpeed(run, speeds) {
  const found = [];
  const looks = Math.min(run.last, 48);
  for (let k = 0; k < looks; k++) {
    run.speeds(Math.floor((k * run.last) / looks), speeds);
    for (let m = 0; m < run.movers.length; m += Math.ceil(run.movers.length / 500)) found.push(speeds[run.movers[m]]);
  }
  found.sort((a, b) => a - b);
  return found.at(Math.floor(0.98 * (found.length - 1))) || found.at(-1) || 0;
}

/** What is said of a body beside its colour. */
const MARKS = { chosen: 0, fixed: 128, none: 255 };

/** Fills `colours` (red, green, blue, mark) at a time. */
function paint(run, way, time, poses, chosen, colours) {
  const values = way.values?.(time, poses);
  const [low, high] = way.range ?? [0, 1];
  for (let i = 0; i < run.bodies; i++) {
    const share = values ? clamp((values[i] - low) / (high - low), 0, 1) : 0;
    const colour = !values ? way.colour(i) : Number.isNaN(share) ? PALE.grey : way.table[Math.round(255 * share)];
    // Particles that are held belong to their cloth like all others.
    const fixed = run.fixed[i] && !run.isParticle(i);
    // In a report a fixed body bears something, too, but is no part of the question.
    const pale = fixed ? (run.exhibit ? 1 : PALE.share) : 0;
    for (let k = 0; k < 3; k++) colours[4 * i + k] = colour[k] + pale * (PALE.grey[k] - colour[k]);
    colours[4 * i + 3] = i === chosen ? MARKS.chosen : fixed ? MARKS.fixed : MARKS.none;
  }
}

const cssColour = (colour) => `rgb(${colour.map(Math.round).join(" ")})`;
const cssGradient = (stops) => `linear-gradient(90deg, ${stops.map(cssColour).join(", ")})`;
