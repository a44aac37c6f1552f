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

function describeRun(run) {
  element("name").textContent = run.name;
  const contacts = run.array("contact force").length;
  const facts = [
    counted(run.bodies, run.flat ? "circle" : "sphere"),
    counted(run.frames, "frame"),
    ...(contacts > 0 ? [counted(contacts, "contact")] : []),
    ...(run.seconds === null ? [] : [`${digits(run.seconds, 3)} s`]),
    ...(run.showing ? [run.showing] : []),
  ];
  element("facts").textContent = facts.join(" · ");
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
  const kind = run.array("solid body").length ? "bodies" : run.flat ? "circles" : "spheres";
  element("view").setAttribute("aria-label", `${run.name}: ${run.bodies} ${kind}, ${run.outcome}`);
}

/** What the colours of bodies, and of forces if these are shown, mean. */
function describeColours(run, way, withForces) {
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
  if (way.range) {
    section(way.label, ...scale(way.stops, ...way.range.map((value) => digits(value, 4))));
  } else if (way.keys.length > 0) {
    section("", ...way.keys.slice(0, 12).map(({ name, colour }) => {
      const key = Object.assign(document.createElement("div"), { className: "key" });
      const spot = document.createElement("i");
      spot.style.background = cssColour(colour);
      key.append(spot, name);
      return key;
    }));
  }
  if (withForces) {
    const largest = rangeOf(run.array("thrust force"))[1];
    section("Force in a contact", ...scale(run.forceScale.map(channels), "0", digits(largest, 4)));
  }
  element("legend").replaceChildren(...sections);
}

/** The step under the cursor, in one line. */
function describeFrame(run, frame) {
  const number = run.shown[frame];
  const kind = run.kinds[run.kind[number]] ?? "";
  const step = document.createElement("b");
  step.textContent = `step ${grouped(run.steps[number])}`;
  const word = Object.assign(document.createElement("span"), { className: kind, textContent: kind });
  const energy = digits(run.energy[number], 6);
  element("readout").replaceChildren(step, " ", word, ` · energy ${energy}`);
  const text = `frame ${number + 1} of ${run.frames}, step ${run.steps[number]}, ${kind}, energy ${energy}`;
  element("scrubber").setAttribute("aria-valuetext", text);
}

/** The card of one body at a time; `choose` is called with the number of a neighbour that is clicked. */
function describeBody(run, body, time, choose) {
  element("body").hidden = body < 0;
  if (body < 0) return;
  const place = run.at(time, body);
  const moved = length(subtract(place, run.at(0, body)));
  const shown = add(place, run.origin).slice(0, run.dimension);
  const group = run.groups[run.group[body]] ?? "–";
  element("body-title").textContent = `${run.flat ? "Circle" : "Sphere"} ${body}`;
  element("body-facts").replaceChildren(
    row("group", group),
    row("position", shown.map((value) => digits(value, 4)).join(", ")),
    row("radius", digits(run.radius[body], 5)),
    row("mass", digits(run.mass[body], 5)),
    row("displacement", digits(moved, 4)),
  );
  const contacts = run.contacts[body];
  const title = contacts.length > 0 ? `${counted(contacts.length, "contact")} at the end, force` : "";
  element("body-contacts-title").textContent = title;
  const rows = contacts.slice(0, 40).map(({ what, number, force }) => {
    if (what !== "body") return row(`${what} ${number}`, digits(force, 4));
    const link = Object.assign(document.createElement("button"), { textContent: `body ${number}` });
    link.addEventListener("click", () => choose(number));
    return row(link, digits(force, 4));
  });
  element("body-contacts").replaceChildren(...rows);
}
