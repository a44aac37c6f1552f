// Things to draw, as the graphics card keeps them.

const CORNERS = new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]);

/** A buffer with some numbers in it. */
function bufferOf(gl, numbers, usage = gl.STATIC_DRAW) {
  const buffer = gl.createBuffer();
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  gl.bufferData(gl.ARRAY_BUFFER, numbers, usage);
  return buffer;
}

/** Ties buffers to the attributes 0, 1, 2, ... of a program. */
function arrangement(gl, attributes) {
  const handle = gl.createVertexArray();
  gl.bindVertexArray(handle);
  attributes.forEach(({ buffer, size, type = gl.FLOAT, stride = 0, offset = 0, each = false }, k) => {
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.enableVertexAttribArray(k);
    gl.vertexAttribPointer(k, size, type, type !== gl.FLOAT, stride, offset);
    gl.vertexAttribDivisor(k, each ? 1 : 0);
  });
  return handle;
}

/** One square, as wide as the window or as the ground. */
class Square {
  constructor(gl) {
    this.gl = gl;
    this.corners = bufferOf(gl, CORNERS);
    this.handle = arrangement(gl, [{ buffer: this.corners, size: 2 }]);
  }

  draw() {
    this.gl.bindVertexArray(this.handle);
    this.gl.drawArrays(this.gl.TRIANGLE_STRIP, 0, 4);
  }
}

/** Sends numbers to a buffer that has room for them. */
function refill(gl, buffer, numbers) {
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  gl.bufferSubData(gl.ARRAY_BUFFER, 0, numbers);
}

/** Graphics cards like four bytes better than three. */
function paddedNormals(normals) {
  const padded = new Int8Array((normals.length / 3) * 4);
  for (let k = 0; k < normals.length; k++) padded[Math.floor(k / 3) * 4 + (k % 3)] = normals[k];
  return padded;
}

/** Balls: a square for each, on which the ball is found ray by ray. */
class Balls {
  /** `bodies` lists those to draw. */
  constructor(gl, square, bodies) {
    Object.assign(this, { gl, bodies, count: bodies.length });
    this.sphere = new Float32Array(4 * this.count);
    this.colour = new Uint8Array(4 * this.count);
    this.spheres = bufferOf(gl, this.sphere.byteLength, gl.DYNAMIC_DRAW);
    this.colours = bufferOf(gl, this.colour.byteLength, gl.DYNAMIC_DRAW);
    this.handle = arrangement(gl, [
      { buffer: square.corners, size: 2 },
      { buffer: this.spheres, size: 4, each: true },
      { buffer: this.colours, size: 4, type: gl.UNSIGNED_BYTE, each: true },
    ]);
  }

  update({ places }, colours) {
    gather(this.bodies, places, this.sphere);
    gather(this.bodies, colours, this.colour);
    this.send();
  }

  send() {
    refill(this.gl, this.spheres, this.sphere);
    refill(this.gl, this.colours, this.colour);
  }

  draw() {
    if (this.count === 0) return;
    this.gl.bindVertexArray(this.handle);
    this.gl.drawArraysInstanced(this.gl.TRIANGLE_STRIP, 0, 4, this.count);
  }
}

/** Takes the four numbers of each listed body out of those of all bodies. */
function gather(bodies, from, to) {
  for (let k = 0; k < bodies.length; k++) {
    const at = 4 * bodies[k];
    to[4 * k] = from[at];
    to[4 * k + 1] = from[at + 1];
    to[4 * k + 2] = from[at + 2];
    to[4 * k + 3] = from[at + 3];
  }
}

/** Faces that meet at more than about 30 degrees have an edge. */
const CREASE = 0.87;

/** The edges of a mesh, each as two of its corners; corners of one place may have several numbers. */
function creases(corners, triangles) {
  const places = new Map();
  const place = Uint32Array.from({ length: corners.length / 3 }, (_, k) => {
    const name = corners.subarray(3 * k, 3 * k + 3).join();
    if (!places.has(name)) places.set(name, k);
    return places.get(name);
  });
  const at = (k) => [...corners.subarray(3 * k, 3 * k + 3)];
  const sides = new Map();
  for (let k = 0; k < triangles.length; k += 3) {
    const own = [0, 1, 2].map((j) => place[triangles[k + j]]);
    const [a, b, c] = own.map(at);
    const across = cross(subtract(b, a), subtract(c, a));
    const size = length(across);
    if (size === 0) continue;
    const normal = scaled(across, 1 / size);
    for (const [one, two] of [[own[0], own[1]], [own[1], own[2]], [own[2], own[0]]]) {
      const name = one < two ? `${one} ${two}` : `${two} ${one}`;
      const side = sides.get(name);
      if (!side) sides.set(name, { ends: [one, two], normal, sharp: false, shared: false });
      else Object.assign(side, { shared: true, sharp: side.sharp || dot(side.normal, normal) < CREASE });
    }
  }
  return Uint32Array.from([...sides.values()].filter(({ sharp, shared }) => sharp || !shared).flatMap(({ ends }) => ends));
}

/** Bodies that are no balls: every mesh is kept once and drawn for each of its bodies. */
class Forms {
  constructor(gl, run) {
    this.gl = gl;
    const counts = run.array("mesh counts");
    const ofMesh = Array.from({ length: counts.length / 2 }, () => []);
    for (let i = 0; i < run.rigid; i++) if (run.mesh[i] !== NONE) ofMesh[run.mesh[i]].push(i);
    this.bodies = Uint32Array.from(ofMesh.flat());
    this.count = this.bodies.length;
    this.position = new Float32Array(4 * this.count);
    this.turn = new Float32Array(4 * this.count);
    this.colour = new Uint8Array(4 * this.count);
    this.positions = bufferOf(gl, this.position.byteLength, gl.DYNAMIC_DRAW);
    this.turns = bufferOf(gl, this.turn.byteLength, gl.DYNAMIC_DRAW);
    this.colours = bufferOf(gl, this.colour.byteLength, gl.DYNAMIC_DRAW);
    this.meshes = this.arrange(run, counts, ofMesh);
  }

  /** One arrangement for each mesh, all of the same buffers. */
  arrange(run, counts, ofMesh) {
    const { gl } = this;
    const corners = bufferOf(gl, run.array("mesh corners"));
    const normals = bufferOf(gl, paddedNormals(run.array("mesh normals")));
    const own = (k, numbers, from) => numbers.subarray(3 * from, 3 * (from + counts[k]));
    const elements = (numbers) => {
      const buffer = gl.createBuffer();
      gl.bindVertexArray(null);
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, numbers, gl.STATIC_DRAW);
      return buffer;
    };
    const triangles = elements(run.array("mesh triangles"));
    let [corner, triangle, first] = [0, 0, 0];
    return ofMesh.map((bodies, k) => {
      const offset = 16 * first;
      const buffers = [
        { buffer: corners, size: 3, offset: 12 * corner },
        { buffer: normals, size: 3, type: gl.BYTE, stride: 4, offset: 4 * corner },
        { buffer: this.positions, size: 4, offset, each: true },
        { buffer: this.turns, size: 4, offset, each: true },
        { buffer: this.colours, size: 4, type: gl.UNSIGNED_BYTE, offset: 4 * first, each: true },
      ];
      const handle = arrangement(gl, buffers);
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, triangles);
      const sides = run.flat
        ? new Uint32Array()
        : creases(own(2 * k, run.array("mesh corners"), corner), own(2 * k + 1, run.array("mesh triangles"), triangle));
      const edges = elements(sides);
      const edgeHandle = arrangement(gl, buffers);
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, edges);
      const mesh = {
        handle, edgeHandle, start: 12 * triangle, count: 3 * counts[2 * k + 1], edges: sides.length, bodies: bodies.length,
      };
      corner += counts[2 * k];
      triangle += counts[2 * k + 1];
      first += bodies.length;
      return mesh;
    });
  }

  update({ places, turns }, colours) {
    if (this.count === 0) return;
    const { gl } = this;
    gather(this.bodies, places, this.position);
    gather(this.bodies, turns, this.turn);
    gather(this.bodies, colours, this.colour);
    refill(gl, this.positions, this.position);
    refill(gl, this.turns, this.turn);
    refill(gl, this.colours, this.colour);
  }

  draw() {
    const { gl } = this;
    for (const { handle, start, count, bodies } of this.meshes) {
      gl.bindVertexArray(handle);
      gl.drawElementsInstanced(gl.TRIANGLES, count, gl.UNSIGNED_INT, start, bodies);
    }
  }

  drawEdges() {
    const { gl } = this;
    for (const { edgeHandle, edges, bodies } of this.meshes) {
      if (edges === 0) continue;
      gl.bindVertexArray(edgeHandle);
      gl.drawElementsInstanced(gl.LINES, edges, gl.UNSIGNED_INT, 0, bodies);
    }
  }
}

/** Cloth: triangles between particles, which are the bodies after all others. */
class Cloths {
  constructor(gl, run) {
    Object.assign(this, { gl, run });
    this.faces = run.array("cloth faces").map((body) => body - run.rigid);
    this.count = this.faces.length;
    const particles = run.bodies - run.rigid;
    this.normal = new Float32Array(3 * particles);
    this.places = bufferOf(gl, 16 * particles, gl.DYNAMIC_DRAW);
    this.normals = bufferOf(gl, 12 * particles, gl.DYNAMIC_DRAW);
    this.colours = bufferOf(gl, 4 * particles, gl.DYNAMIC_DRAW);
    this.handle = arrangement(gl, [
      { buffer: this.places, size: 3, stride: 16 },
      { buffer: this.normals, size: 3 },
      { buffer: this.colours, size: 4, type: gl.UNSIGNED_BYTE },
    ]);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, this.faces, gl.STATIC_DRAW);
  }

  update({ places }, colours) {
    if (this.count === 0) return;
    const { gl, run } = this;
    const own = places.subarray(4 * run.rigid);
    this.smooth(own);
    refill(gl, this.places, own);
    refill(gl, this.normals, this.normal);
    refill(gl, this.colours, colours.subarray(4 * run.rigid));
  }

  /** The normal of a particle is the sum of those of its triangles, by their areas. */
  smooth(places) {
    const { faces, normal } = this;
    normal.fill(0);
    for (let k = 0; k < faces.length; k += 3) {
      const a = 4 * faces[k];
      const b = 4 * faces[k + 1];
      const c = 4 * faces[k + 2];
      const ux = places[b] - places[a];
      const uy = places[b + 1] - places[a + 1];
      const uz = places[b + 2] - places[a + 2];
      const vx = places[c] - places[a];
      const vy = places[c + 1] - places[a + 1];
      const vz = places[c + 2] - places[a + 2];
      const x = uy * vz - uz * vy;
      const y = uz * vx - ux * vz;
      const z = ux * vy - uy * vx;
      for (let j = 0; j < 3; j++) {
        const at = 3 * faces[k + j];
        normal[at] += x;
        normal[at + 1] += y;
        normal[at + 2] += z;
      }
    }
    for (let k = 0; k < normal.length; k += 3) {
      const size = Math.hypot(normal[k], normal[k + 1], normal[k + 2]) || 1;
      for (let j = 0; j < 3; j++) normal[k + j] /= size;
    }
  }

  draw() {
    if (this.count === 0) return;
    this.gl.bindVertexArray(this.handle);
    this.gl.drawElements(this.gl.TRIANGLES, this.count, this.gl.UNSIGNED_INT, 0);
  }
}

/** Lines: `ends` has six numbers for each, `look` gives width and colour (0..255, four of them). */
class Sticks {
  constructor(gl, square, ends, look, usage = gl.STATIC_DRAW) {
    this.gl = gl;
    this.count = ends.length / 6;
    const widths = new Float32Array(this.count);
    const colours = new Uint8Array(4 * this.count);
    for (let k = 0; k < this.count; k++) {
      const { width, colour } = look(k);
      widths[k] = width;
      colours.set(colour, 4 * k);
    }
    this.places = bufferOf(gl, ends, usage);
    [this.widths, this.colours] = [bufferOf(gl, widths), bufferOf(gl, colours)];
    this.corners = square.corners;
    this.arrange(0);
  }

  /** Ties the buffers to the program, from a line on. */
  arrange(first) {
    const { gl, places, widths, colours } = this;
    this.first = first;
    if (this.handle) gl.deleteVertexArray(this.handle);
    this.handle = arrangement(gl, [
      { buffer: this.corners, size: 2 },
      { buffer: places, size: 3, stride: 24, offset: 24 * first, each: true },
      { buffer: places, size: 3, stride: 24, offset: 24 * first + 12, each: true },
      { buffer: widths, size: 1, offset: 4 * first, each: true },
      { buffer: colours, size: 4, type: gl.UNSIGNED_BYTE, offset: 4 * first, each: true },
    ]);
  }

  /** Moves all of them. */
  update(ends) {
    refill(this.gl, this.places, ends);
  }

  draw([first, end] = [0, this.count]) {
    if (end <= first) return;
    if (first !== this.first) this.arrange(first);
    this.gl.bindVertexArray(this.handle);
    this.gl.drawArraysInstanced(this.gl.TRIANGLE_STRIP, 0, 4, end - first);
  }
}

/** The container's surface. */
class Glass {
  constructor(gl, run) {
    this.gl = gl;
    this.handle = arrangement(gl, [
      { buffer: bufferOf(gl, run.array("glass corners")), size: 3 },
      { buffer: bufferOf(gl, paddedNormals(run.array("glass normals"))), size: 3, type: gl.BYTE, stride: 4 },
    ]);
    const triangles = run.array("glass triangles");
    this.count = triangles.length;
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, triangles, gl.STATIC_DRAW);
  }

  /** Draws the far or the near side. */
  draw(hidden) {
    const { gl } = this;
    gl.enable(gl.CULL_FACE);
    gl.cullFace(hidden);
    gl.bindVertexArray(this.handle);
    gl.drawElements(gl.TRIANGLES, this.count, gl.UNSIGNED_INT, 0);
    gl.disable(gl.CULL_FACE);
  }
}

/** Triangles from one corner of an outline to all of its edges (six numbers each). */
class Fan {
  constructor(gl, edges) {
    this.gl = gl;
    this.count = edges.length / 2;
    const corners = [];
    for (let k = 0; k < edges.length; k += 6) corners.push(...edges.slice(0, 3), ...edges.slice(k, k + 6));
    this.handle = arrangement(gl, [{ buffer: bufferOf(gl, new Float32Array(corners)), size: 3 }]);
  }

  draw() {
    this.gl.bindVertexArray(this.handle);
    this.gl.drawArrays(this.gl.TRIANGLES, 0, this.count);
  }
}
