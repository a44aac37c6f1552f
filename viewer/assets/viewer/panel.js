// Words and numbers around the picture.

/** A row of a table: what, and how much. */
function row(...cells) {
  const line = document.createElement("tr");
  for (const cell of cells) {
    const data = line.insertCell();
    if (cell instanceof Node) data.append(cell);
    else data.textContent = cell;
  }
  return line;
}

const grouped = (count) => String(count).replace(/\B(?=(\d{3})+$)/g, "\u202f");
const counted = (count, noun) => `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`;

/** What the run is about, in a few words. */
function factsOf(run) {
  const [one, several] = run.what;
  const particles = run.bodies - run.rigid;
  const ending = run.forces.frames.at(-1) === run.last ? run.forces.range(run.forces.frames.length - 1) : [0, 0];
  const contacts = run.atRest && !run.exhibit ? ending[1] - ending[0] : 0;
  return [
    ...(run.rigid > 0 ? [run.exhibit ? looseAndFixed(run) : `${grouped(run.rigid)} ${run.rigid === 1 ? one : several}`] : []),
    ...(run.gone.length > 0 ? [`${grouped(run.gone.length)} of them taken out`] : []),
    ...(run.cloths > 0 ? [`${counted(run.cloths, "cloth")} of ${counted(particles, "particle")}`] : []),
    ...(run.exhibit ? [] : [counted(run.frames, "frame")]),
    ...(contacts > 0 ? [counted(contacts, "contact")] : []),
    ...(run.seconds === null ? [] : [`${digits(run.seconds, 3)} s`]),
    ...(run.showing ? [run.showing] : []),
  ];
}

/** How many bodies could fall, and how many are held. */
function looseAndFixed(run) {
  const [one, several] = run.what;
  const fixed = run.fixed.reduce((sum, is) => sum + (is ? 1 : 0), 0);
  const loose = run.rigid - fixed;
  return `${grouped(loose)} ${loose === 1 ? one : several}` + (fixed > 0 ? `, ${grouped(fixed)} fixed` : "");
}

function describeRun(run) {
  const facts = factsOf(run);
  element("name").textContent = run.name;
  element("facts").textContent = [run.exhibit ? "Does it stand?" : run.method, ...facts].join(" · ");
  element("outcome").textContent = run.outcome;
  element("verdict").textContent = run.certificate?.verdict ?? "";
  element("outcome").classList.toggle("rest", run.atRest);
  element("certificate").replaceChildren(...(run.certificate?.rows ?? []).map((cells) => row(...cells)));
  element("notes").replaceChildren(
    ...run.notes.map((note) => {
      const item = document.createElement("li");
      item.textContent = note;
      return item;
    }),
  );
  element("view").setAttribute("aria-label", `${run.name}: ${facts.join(", ")}, ${run.outcome}`);
}

/** What the colours of bodies, and of forces if these are shown, mean; `list` is that of the forces. */
function describeColours(run, way, list) {
  const sections = [];
  const section = (title, ...parts) => {
    const box = document.createElement("section");
    box.append(title, ...parts);
    sections.push(box);
  };
  const scale = (stops, low, high) => {
    const bar = Object.assign(document.createElement("div"), { className: "bar" });
    bar.style.background = cssGradient(stops);
    const ends = Object.assign(document.createElement("div"), { className: "ends" });
    ends.append(...[low, high].map((value) => Object.assign(document.createElement("span"), { textContent: value })));
    return [bar, ends];
  };
  const key = ({ name, colour }) => {
    const line = Object.assign(document.createElement("div"), { className: "key" });
    const spot = document.createElement("i");
    spot.style.background = cssColour(colour);
    line.append(spot, name);
    return line;
  };
  if (way.range) {
    section(way.label, ...scale(way.stops, ...way.range.map((value) => digits(value, 4))));
  } else if (way.keys.length > 0) {
    section("", ...way.keys.slice(0, 12).map(key));
  }
  if (list >= 0 && run.exhibit) {
    section(run.exhibit.title, ...arrowKeys(run).map(key));
  } else if (list >= 0) {
    const step = `step ${grouped(run.steps[run.shown[run.forces.frames[list]]])}`;
    const title = run.forces.isMean(list) ? `Force in a contact, mean of ${step}` : "Force in a contact";
    section(title, ...scale(run.forceScale.map(channels), "0", digits(run.strong, 4)));
  }
  element("legend").replaceChildren(...sections);
}

/** What the arrows and the outline of a report stand for. */
function arrowKeys(run) {
  const pulls = run.array("force pulls");
  const most = (kind) => run.forces.size.reduce((most, size, k) => (pulls[k] === kind ? Math.max(most, size) : most), 0);
  const { push, pull, mark, marked } = run.exhibit;
  const kinds = [["push", push, most(0)], ["pull", pull, most(1)]].filter(([, , size]) => size > 0);
  const keys = kinds.map(([word, colour, size]) => ({ name: `${word}, up to ${digits(size, 4)}`, colour: channels(colour) }));
  return marked ? [...keys, { name: marked.label, colour: channels(mark) }] : keys;
}

/** How far the first motion of what falls is shown. */
function describeMoment(run, frame) {
  const gone = run.clock(frame);
  const part = document.createElement("b");
  part.textContent = gone === 0 ? "as it is" : `first motion, by ${digits(gone, 2)} of a radius`;
  const facts = `no simulation · energy ${digits(run.energy[run.shown[frame]], 6)}`;
  element("readout").replaceChildren(part, ` · ${facts}`);
  element("scrubber").setAttribute("aria-valuetext", `${part.textContent}, ${facts}`);
}

/** The step under the cursor, in one line. */
function describeFrame(run, frame) {
  if (run.exhibit) return describeMoment(run, frame);
  const number = run.shown[frame];
  const kind = run.kinds[run.kind[number]] ?? "";
  const step = document.createElement("b");
  step.textContent = `step ${grouped(run.steps[number])}`;
  // In a run of time steps all are of the same kind.
  const usual = run.timed && kind === run.method;
  const word = Object.assign(document.createElement("span"), { className: kind, textContent: usual ? "" : kind });
  const facts = [`energy ${digits(run.energy[number], 6)}`];
  if (run.timed) {
    facts.unshift(`time ${digits(run.times[number], 4)}`);
    facts.push(`overlap ${digits(run.overlap[number], 2)} of a radius`);
  }
  element("readout").replaceChildren(step, usual ? "" : " ", word, ` · ${facts.join(" · ")}`);
  const text = [`frame ${number + 1} of ${run.frames}`, `step ${run.steps[number]}`, kind, ...facts].join(", ");
  element("scrubber").setAttribute("aria-valuetext", text);
}

/** A turn in words: an angle, and in 3D an axis. */
function turnInWords(run, turns, k) {
  const degrees = (radians) => `${digits(Math.round((1800 / Math.PI) * radians) / 10, 4)}°`;
  if (run.flat) {
    const sign = turns[k + 3] < 0 ? -1 : 1;
    return degrees(2 * Math.atan2(sign * turns[k + 2], sign * turns[k + 3]));
  }
  const axis = [turns[k], turns[k + 1], turns[k + 2]];
  const size = length(axis);
  if (size < 1e-6) return "0°";
  const sign = turns[k + 3] < 0 ? -1 : 1;
  const along = scaled(axis, sign / size).map((value) => digits(Math.round(100 * value) / 100, 2));
  return `${degrees(2 * Math.atan2(size, Math.abs(turns[k + 3])))} about (${along.join(", ")})`;
}

/** What a body is called. */
function nameOf(run, body) {
  if (run.isParticle(body)) return `Particle ${body}`;
  const [word] = run.what;
  return `${word[0].toUpperCase()}${word.slice(1)} ${body}`;
}

/** What a body that is no ball is, and how large. */
function formRows(run, { what, size, rounding }) {
  const sides = size.slice(0, run.dimension).map((side) => digits(side, 4)).join(" × ");
  return [row("shape", what), row("size", sides), ...(rounding > 0 ? [row("rounded by", digits(rounding, 4))] : [])];
}

/** The card of one body at a time; `choose` is called with the number of a neighbour that is clicked. */
function describeBody(run, body, time, poses, speeds, choose) {
  element("body").hidden = body < 0;
  if (body < 0) return;
  const place = [0, 1, 2].map((axis) => poses.places[4 * body + axis]);
  const moved = length(subtract(place, run.start.subarray(3 * body, 3 * body + 3)));
  const shown = add(place, run.origin).slice(0, run.dimension);
  const round = run.isParticle(body) || run.mesh[body] === NONE;
  element("body-title").textContent = nameOf(run, body);
  element("body-facts").replaceChildren(
    row("group", run.groups[run.group[body]] ?? "–"),
    row("position", shown.map((value) => digits(value, 4)).join(", ")),
    ...(round ? [] : [row("turn", turnInWords(run, poses.turns, 4 * body))]),
    ...(round ? [row("radius", digits(run.radius[body], 5))] : formRows(run, run.forms[run.mesh[body]])),
    row("mass", run.fixed[body] ? `${digits(run.mass[body], 5)}, fixed` : digits(run.mass[body], 5)),
    ...(run.exhibit ? shadeRows(run, body) : [row(run.timed ? "speed" : "way per step", digits(run.speeds(time, speeds)[body], 4))]),
    row("displacement", digits(moved, 4)),
  );
  describeContacts(run, body, time, choose);
}

/** What a body bears, and how it begins to move. */
function shadeRows(run, body) {
  return run.exhibit.shades.map(({ label }, number) => row(label, digits(run.array(`shade ${number}`)[body], 4)));
}

function describeContacts(run, body, time, choose) {
  // Without time, forces are known at the end, and of interest all the time.
  const list = run.timed ? run.forces.listAt(time) : run.forces.frames.length - 1;
  const contacts = run.forces.of(list, body);
  const when = run.exhibit ? "at points" : run.forces.isMean(list) ? `in step ${run.steps[run.shown[run.forces.frames[list]]]}` : "at the end";
  const title = contacts.length > 0 ? `${counted(contacts.length, "contact")} ${when}, force` : "";
  element("body-contacts-title").textContent = title;
  const rows = contacts.slice(0, 40).map(({ what, number, force }) => {
    if (what !== "body") return row(`${what} ${number}`, digits(force, 4));
    const link = Object.assign(document.createElement("button"), { textContent: `body ${number}` });
    link.addEventListener("click", () => choose(number));
    return row(link, digits(force, 4));
  });
  element("body-contacts").replaceChildren(...rows);
}
