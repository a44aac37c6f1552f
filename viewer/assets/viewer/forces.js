// Forces in contacts: bars that are ready to draw, at some of the shown frames.

/** What the other side of a contact is, by its kind. */
const OTHER_SIDES = ["body", "wall face", "joint"];

class Forces {
  constructor(run) {
    this.run = run;
    this.size = run.array("force size");
    this.body = run.array("force body");
    this.other = run.array("force other");
    this.frames = run.array("force frame");
    this.starts = [0];
    for (const count of run.array("force count")) this.starts.push(this.starts.at(-1) + count);
    // The load of every body, of the list named by `loadsOf`.
    this.loads = new Float32Array(run.bodies);
    this.loadsOf = -1;
  }

  /** Whether any are known. */
  get known() {
    return this.size.length > 0;
  }

  /** Six numbers for each bar: where it starts and ends. */
  ends() {
    const { grid } = this.run;
    const ends = Float32Array.from(this.run.array("force ends"));
    for (let k = 0; k < ends.length; k++) {
      ends[k] = grid.min[k % 3] + (ends[k] * grid.size[k % 3]) / FINEST;
    }
    return ends;
  }

  /** The number of the list of bars that belongs to a time; -1 if there is none. */
  listAt(time) {
    const { frames, run } = this;
    let best = -1;
    for (let k = 0; k < frames.length; k++) {
      if (best < 0 || Math.abs(frames[k] - time) < Math.abs(frames[best] - time)) best = k;
    }
    return best >= 0 && Math.abs(frames[best] - time) <= Math.max(run.forcesEvery, 1) / 2 ? best : -1;
  }

  /** Whether the forces of a list are means over a time step; if not, they are those of a rest. */
  isMean(list) {
    const { run, frames } = this;
    return ["collapse", "dynamics"].includes(run.kinds[run.kind[run.shown[frames[list]]]]);
  }

  /** First and last (excluded) bar of a list. */
  range(list) {
    return list < 0 ? [0, 0] : [this.starts[list], this.starts[list + 1]];
  }

  /** The contacts of a body in a list, the strongest first. */
  of(list, body) {
    const [first, end] = this.range(list);
    const found = [];
    for (let k = first; k < end; k++) {
      const [kind, number] = [this.other[k] >>> 30, this.other[k] & 0x3fffffff];
      const force = this.size[k];
      if (this.body[k] === body) found.push({ what: OTHER_SIDES[kind], number, force });
      else if (kind === 0 && number === body) found.push({ what: "body", number: this.body[k], force });
    }
    return found.sort((a, b) => b.force - a.force);
  }

  /** All force on each body in a list, as a plain sum of sizes. */
  loadsAt(list) {
    if (list === this.loadsOf) return this.loads;
    this.loadsOf = list;
    this.loads.fill(0);
    const [first, end] = this.range(list);
    for (let k = first; k < end; k++) {
      this.loads[this.body[k]] += this.size[k];
      if (this.other[k] >>> 30 === 0) this.loads[this.other[k]] += this.size[k];
    }
    return this.loads;
  }

  /** A force as a share of a strong one; few forces are strong, so the root spreads the weak ones. */
  share(force) {
    return Math.min(Math.sqrt(force / (this.run.strong || 1)), 1);
  }
}
