// The run: its summary, its arrays, and where every body is at any time.
//
// Time counts the frames that are shown; between two of them bodies move
// straight, as they do between the frames of a run. Positions are relative to
// the middle of the scene.

const ARRAY_TYPES = { Float32Array, Float64Array, Int8Array, Uint8Array, Uint32Array };
const FINEST = 65535;

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
    this.up = this.flat ? [0, 1, 0] : [0, 0, 1];
    this.size = this.bounds.size;
    this.origin = add(this.bounds.min, scaled(this.size, 0.5));
    this.diagonal = length(this.size) || 1;
    this.radius = this.array("radius");
    this.mass = this.array("mass");
    this.group = this.array("group");
    this.mix = this.array("mix");
    this.steps = this.array("step");
    this.kind = this.array("kind");
    this.energy = this.array("energy");
    this.moving = this.array("moving");
    this.contacts = this.readContacts();
    this.motion = [];
  }

  /** Frames that can be shown. */
  get length() {
    return this.motion.length;
  }

  get last() {
    return this.motion.length - 1;
  }

  /** For each body its contacts at the end, the strongest first. */
  readContacts() {
    const of = Array.from({ length: this.bodies }, () => []);
    const [body, type, other] = ["body", "type", "other"].map((k) => this.array(`contact ${k}`));
    this.array("contact force").forEach((force, k) => {
      const words = ["body", "wall face", "image of body"];
      of[body[k]].push({ what: words[type[k]], number: other[k], force });
      if (type[k] !== 1) of[other[k]].push({ what: words[type[k]], number: body[k], force });
    });
    for (const list of of) list.sort((a, b) => b.force - a.force);
    return of;
  }

  /** Undoes the packing of the motion: each frame is a difference from the one before. */
  async readMotion(progress) {
    const count = this.bodies * this.dimension;
    const packed = new Uint8Array(2 * count);
    let filled = 0;
    let points = new Uint16Array(count);
    const finishFrame = () => {
      points = points.slice();
      for (let k = 0; k < count; k++) {
        const folded = packed[k] | (packed[count + k] << 8);
        points[k] += (folded >> 1) ^ -(folded & 1);
      }
      this.motion.push(points);
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
    while (count === 0 && this.motion.length < this.shown.length) this.motion.push(points);
    if (this.motion.length !== this.shown.length) throw new Error("the page is incomplete.");
  }

  /** Writes x, y, z and the radius of every body at a time into `spheres`. */
  place(time, spheres) {
    const n = this.bodies;
    const before = clamp(Math.floor(time), 0, this.last);
    const [a, b] = [this.motion[before], this.motion[Math.min(before + 1, this.last)]];
    const share = clamp(time - before, 0, 1);
    for (let axis = 0; axis < this.dimension; axis++) {
      const scale = this.size[axis] / FINEST;
      const shift = -0.5 * this.size[axis];
      for (let i = 0; i < n; i++) {
        const k = axis * n + i;
        spheres[4 * i + axis] = shift + scale * (a[k] + share * (b[k] - a[k]));
      }
    }
    for (let i = 0; i < n; i++) spheres[4 * i + 3] = this.radius[i];
    return spheres;
  }

  spheres(time) {
    return this.place(time, new Float32Array(4 * this.bodies));
  }

  /** Where one body is at a time. */
  at(time, body) {
    const before = clamp(Math.floor(time), 0, this.last);
    const [a, b] = [this.motion[before], this.motion[Math.min(before + 1, this.last)]];
    return [0, 1, 2].map((axis) => {
      const k = axis * this.bodies + body;
      if (axis >= this.dimension) return 0;
      return this.size[axis] * ((a[k] + (time - before) * (b[k] - a[k])) / FINEST - 0.5);
    });
  }

  /** The body that a ray meets first; -1 if there is none. */
  static bodyOnRay(spheres, { origin, direction }) {
    let [nearest, found] = [Infinity, -1];
    for (let i = 0; i < spheres.length / 4; i++) {
      const k = 4 * i;
      const x = spheres[k] - origin[0];
      const y = spheres[k + 1] - origin[1];
      const z = spheres[k + 2] - origin[2];
      const along = x * direction[0] + y * direction[1] + z * direction[2];
      const under = along * along - (x * x + y * y + z * z) + spheres[k + 3] * spheres[k + 3];
      const distance = along - Math.sqrt(under);
      if (distance > 0 && distance < nearest) [nearest, found] = [distance, i];
    }
    return found;
  }

  /** All force on a body at the end of the run, as a plain sum of sizes. */
  load(body) {
    return this.contacts[body].reduce((sum, contact) => sum + Math.abs(contact.force), 0);
  }
}
