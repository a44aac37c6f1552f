// The run: its summary, its arrays, and where every body is at any time.
//
// Time counts the frames that are shown; between two of them bodies move
// straight and turn evenly. Positions are relative to the middle of what is in
// view at first.

const ARRAY_TYPES = { Float32Array, Float64Array, Int8Array, Uint8Array, Uint16Array, Uint32Array };
const FINEST = 65535;
/** Stands for no body, or for no mesh. */
const NONE = 0xffffffff;

/** Reads the run out of the page; `progress` hears the share of frames that is ready. */
async function openRun(progress) {
  if (typeof DecompressionStream === "undefined") {
    throw new Error("this browser cannot unpack the run. A browser from 2023 or later can.");
  }
  const summary = JSON.parse(document.getElementById("summary").textContent);
  const bytes = new Uint8Array(summary.arrayBytes);
  let filled = 0;
  await unpack("arrays", (chunk) => {
    bytes.set(chunk, filled);
    filled += chunk.length;
  });
  const run = new Run(summary, bytes.buffer);
  await run.readMotion(progress);
  return run;
}

/** Unpacks the text of an element of the page, chunk by chunk. */
async function unpack(id, take) {
  const letters = atob(document.getElementById(id).textContent);
  const packed = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  const unpacker = new DecompressionStream("deflate");
  const writer = unpacker.writable.getWriter();
  // What goes wrong on this side shows on the other one.
  writer.write(packed).catch(() => {});
  writer.close().catch(() => {});
  const reader = unpacker.readable.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) take(read.value);
}

class Run {
  constructor(summary, buffer) {
    Object.assign(this, summary);
    this.array = (name) => {
      const { type, start, count } = summary.arrays[name];
      return new ARRAY_TYPES[type](buffer, start, count);
    };
    this.flat = this.dimension === 2;
    this.timed = this.timeStep !== null;
    this.up = this.flat ? [0, 1, 0] : [0, 0, 1];
    this.diagonal = length(this.size) || 1;
    for (const name of ["radius", "mass", "group", "fixed", "mesh", "kind", "energy", "kinetic", "overlap"]) {
      this[name] = this.array(name);
    }
    this.steps = this.array("step");
    this.start = this.array("place");
    this.startTurn = this.array("turn");
    this.movers = this.array("movers");
    this.turners = this.array("turners");
    this.motion = [];
    this.forces = new Forces(this);
  }

  /** Frames that can be shown. */
  get length() {
    return this.motion.length;
  }

  get last() {
    return this.motion.length - 1;
  }

  /** Whether a body is a particle of cloth. */
  isParticle(body) {
    return body >= this.rigid;
  }

  /** The step of a shown frame, or the time for methods that know one. */
  clock(frame) {
    return this.steps[this.shown[frame]] * (this.timeStep ?? 1);
  }

  /** Undoes the packing of the motion: each frame is a difference from what those before it promise. */
  async readMotion(progress) {
    const count = this.dimension * this.movers.length + (this.flat ? 1 : 4) * this.turners.length;
    const packed = new Uint8Array(1 + 2 * count);
    let filled = 0;
    let [last, before] = [new Uint16Array(count), new Uint16Array(count)];
    const finishFrame = () => {
      const now = new Uint16Array(count);
      const goesOn = packed[0];
      for (let k = 0; k < count; k++) {
        const folded = packed[1 + k] | (packed[1 + count + k] << 8);
        now[k] = last[k] + goesOn * (last[k] - before[k]) + ((folded >> 1) ^ -(folded & 1));
      }
      [last, before] = [now, last];
      this.motion.push(now);
      filled = 0;
    };
    await unpack("motion", (chunk) => {
      for (let taken = 0; taken < chunk.length; ) {
        const part = chunk.subarray(taken, taken + packed.length - filled);
        packed.set(part, filled);
        filled += part.length;
        taken += part.length;
        if (filled === packed.length) finishFrame();
      }
      progress(this.motion.length / this.shown.length);
    });
    if (this.motion.length !== this.shown.length) throw new Error("the page is incomplete.");
  }

  /** Room for the poses of all bodies: x, y, z and the radius, and a quaternion each. */
  poses() {
    const poses = { places: new Float32Array(4 * this.bodies), turns: new Float32Array(this.startTurn) };
    for (let i = 0; i < this.bodies; i++) {
      for (let axis = 0; axis < 3; axis++) poses.places[4 * i + axis] = this.start[3 * i + axis];
      poses.places[4 * i + 3] = this.radius[i];
    }
    return poses;
  }

  /** Moves all bodies to where they are at a time. */
  place(time, { places, turns }) {
    const { movers, turners, grid } = this;
    const before = clamp(Math.floor(time), 0, this.last);
    const [a, b] = [this.motion[before], this.motion[Math.min(before + 1, this.last)]];
    const share = clamp(time - before, 0, 1);
    let k = 0;
    for (let axis = 0; axis < this.dimension; axis++) {
      const scale = grid.size[axis] / FINEST;
      const shift = grid.min[axis];
      for (let m = 0; m < movers.length; m++, k++) {
        places[4 * movers[m] + axis] = shift + scale * (a[k] + share * (b[k] - a[k]));
      }
    }
    if (this.flat) {
      for (let t = 0; t < turners.length; t++, k++) {
        // The shorter way round, also past the end of the numbers.
        const change = ((b[k] - a[k]) << 16) >> 16;
        const half = ((a[k] + share * change) / 65536) * Math.PI;
        turns[4 * turners[t] + 2] = Math.sin(half);
        turns[4 * turners[t] + 3] = Math.cos(half);
      }
    } else {
      for (let t = 0; t < turners.length; t++) this.turn(a, b, k + t, share, turns, 4 * turners[t]);
    }
  }

  /** A turn between two frames, written into `turns` from `to` on. */
  turn(a, b, k, share, turns, to) {
    const { from, towards } = this;
    this.unpackTurn(a, k, from);
    this.unpackTurn(b, k, towards);
    // Opposite quaternions are the same turn.
    const same = from[0] * towards[0] + from[1] * towards[1] + from[2] * towards[2] + from[3] * towards[3];
    const part = same < 0 ? -share : share;
    let square = 0;
    for (let j = 0; j < 4; j++) {
      turns[to + j] = (1 - share) * from[j] + part * towards[j];
      square += turns[to + j] ** 2;
    }
    const size = Math.sqrt(square) || 1;
    for (let j = 0; j < 4; j++) turns[to + j] /= size;
  }

  // Places to work in, made once.
  from = new Float32Array(4);
  towards = new Float32Array(4);

  /** Three parts of a quaternion are given; the fourth is positive and follows from them. */
  unpackTurn(numbers, k, quaternion) {
    const count = this.turners.length;
    const leftOut = numbers[k + 3 * count];
    let rest = 1;
    for (let j = 0, given = 0; j < 4; j++) {
      if (j === leftOut) continue;
      const part = ((numbers[k + given * count] << 16) >> 16) / this.turnSteps;
      quaternion[j] = part;
      rest -= part * part;
      given++;
    }
    quaternion[leftOut] = Math.sqrt(Math.max(rest, 0));
  }

  /** How fast every body moves around a time, per time or per step, into `speeds`. */
  speeds(time, speeds) {
    const { movers, grid } = this;
    const before = clamp(Math.floor(time), 0, Math.max(this.last - 1, 0));
    const after = Math.min(before + 1, this.last);
    const [a, b] = [this.motion[before], this.motion[after]];
    const span = this.clock(after) - this.clock(before) || 1;
    for (let m = 0; m < movers.length; m++) {
      let square = 0;
      for (let axis = 0; axis < this.dimension; axis++) {
        const k = axis * movers.length + m;
        square += ((b[k] - a[k]) * (grid.size[axis] / FINEST)) ** 2;
      }
      speeds[movers[m]] = Math.sqrt(square) / span;
    }
    return speeds;
  }
}
