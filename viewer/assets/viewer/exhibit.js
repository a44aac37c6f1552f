// Whether something stands: colours of what bodies bear, forces as arrows, the contact that counts
// most, the bodies taken apart, and the tables of the report.

/** Shafts of arrows and lines around a contact, in radii of a typical body. */
const [SHAFT, OUTLINE] = [0.035, 0.06];
/** A head has this part of its arrow, but is no longer than this, and so wide. */
const [HEAD_PART, HEAD_LENGTH, HEAD_WIDTH] = [0.4, 0.3, 0.1];

/** The colours that say what bodies bear, and how they begin to move. */
function shadings(run) {
  const stops = run.forceScale.map(channels);
  return (run.exhibit?.shades ?? []).map(({ label, most }, number) => {
    const values = run.array(`shade ${number}`);
    const key = number === 0 ? "shade" : "motion";
    return { key, label: label[0].toUpperCase() + label.slice(1), range: [0, most || 1], stops, values: () => values };
  });
}

/** The bodies taken apart: each away from the foot of all, by a share of its distance from there. */
function takeApart(run, from, share, to) {
  to.places.set(from.places);
  if (!(share > 0)) return;
  const { foot } = run.exhibit;
  for (let i = 0; i < run.bodies; i++) {
    for (let axis = 0; axis < 3; axis++) to.places[4 * i + axis] += share * (from.places[4 * i + axis] - foot[axis]);
  }
}

/** How far what is between two bodies moves when they are taken apart by a whole share. */
function halfway(run, one, other) {
  const { foot } = run.exhibit;
  const bodies = [one, other].filter((body) => body !== NONE);
  return [0, 1, 2].map((axis) => {
    const ways = bodies.map((body) => run.start[3 * body + axis] - foot[axis]);
    return ways.reduce((sum, way) => sum + way, 0) / (ways.length || 1);
  });
}

/** Lines that stay halfway between two bodies each. */
class Between {
  /** `ends` has six numbers for each line, `bodies` two. */
  constructor(gl, square, run, ends, bodies, look) {
    this.ends = ends;
    this.shifts = Array.from({ length: ends.length / 6 }, (_, k) => halfway(run, ...bodies(k)));
    this.sticks = new Sticks(gl, square, ends, look, gl.DYNAMIC_DRAW);
  }

  apart(share) {
    const moved = Float32Array.from(this.ends, (x, k) => x + share * this.shifts[Math.floor(k / 6)][k % 3]);
    this.sticks.update(moved);
  }

  draw(range) {
    this.sticks.draw(range);
  }
}

/** Forces as arrows: shafts and heads. */
class Arrows {
  constructor(gl, square, run) {
    const { forces, exhibit, typical } = run;
    const ends = forces.ends();
    const pulls = run.array("force pulls");
    const [push, pull] = [exhibit.push, exhibit.pull].map((colour) => [...channels(colour), 255]);
    const bodies = (k) => [forces.body[k], forces.other[k] >>> 30 === 0 ? forces.other[k] : NONE];
    const look = (width) => (k) => ({ width: width(k) * typical, colour: pulls[k] ? pull : push });
    const heads = new Float32Array(ends.length);
    const sizes = new Float32Array(ends.length / 6);
    for (let k = 0; k < sizes.length; k++) {
      const [from, to] = [ends.subarray(6 * k, 6 * k + 3), ends.subarray(6 * k + 3, 6 * k + 6)];
      const along = subtract(to, from);
      const size = length(along);
      sizes[k] = Math.min(HEAD_PART * size, HEAD_LENGTH * typical);
      const neck = subtract(to, scaled(along, sizes[k] / (size || 1)));
      heads.set([...neck, ...to], 6 * k);
      // A shaft ends in its head, not beyond.
      ends.set(subtract(to, scaled(along, (0.5 * sizes[k]) / (size || 1))), 6 * k + 3);
    }
    const wide = (k) => (HEAD_WIDTH * sizes[k]) / (HEAD_LENGTH * typical);
    this.shafts = new Between(gl, square, run, ends, bodies, look(() => SHAFT));
    this.heads = new Between(gl, square, run, heads, bodies, look((k) => 2 * wide(k)));
    this.count = sizes.length;
  }

  apart(share) {
    this.shafts.apart(share);
    this.heads.apart(share);
  }
}

/** Lines around the contact that counts most. */
function outlineOf(gl, square, run) {
  const { marked, mark } = run.exhibit;
  const ends = run.array("mark ends");
  const look = () => ({ width: OUTLINE * run.typical, colour: [...channels(mark), 255] });
  return new Between(gl, square, run, ends, () => marked?.bodies ?? [NONE, NONE], look);
}

/** A table as comma-separated values: what is shown for people is whole there. */
function csvOf(table) {
  const text = (cell) => {
    const numbers = [...cell.querySelectorAll("data")];
    const plain = numbers.length === 1 ? numbers[0].value : cell.textContent;
    return /[",\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
  };
  return [...table.rows].map((line) => [...line.cells].map(text).join(",")).join("\r\n") + "\r\n";
}

/** Buttons that save the tables of a report. */
function listenToReport() {
  for (const button of document.querySelectorAll("button.csv")) {
    const table = button.parentElement.querySelector("table");
    button.addEventListener("click", () => {
      const file = new Blob([csvOf(table)], { type: "text/csv" });
      const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(file) });
      link.download = `${document.title.split(" · ")[0]}-${table.dataset.name}.csv`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    });
  }
}
