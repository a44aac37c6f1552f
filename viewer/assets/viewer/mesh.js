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

/** The bodies: a square for each, on which the ball is found ray by ray. */
class Balls {
  constructor(gl, square, count) {
    this.gl = gl;
    this.count = count;
    this.spheres = bufferOf(gl, 16 * count, gl.DYNAMIC_DRAW);
    this.colours = bufferOf(gl, 4 * count, gl.DYNAMIC_DRAW);
    this.handle = arrangement(gl, [
      { buffer: square.corners, size: 2 },
      { buffer: this.spheres, size: 4, each: true },
      { buffer: this.colours, size: 4, type: gl.UNSIGNED_BYTE, each: true },
    ]);
  }

  update(spheres, colours) {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.spheres);
    gl.bufferSubData(gl.ARRAY_BUFFER, 0, spheres);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.colours);
    gl.bufferSubData(gl.ARRAY_BUFFER, 0, colours);
  }

  draw() {
    this.gl.bindVertexArray(this.handle);
    this.gl.drawArraysInstanced(this.gl.TRIANGLE_STRIP, 0, 4, this.count);
  }
}

/** Bodies that are no balls: triangles that move with their bodies. */
class Solids {
  constructor(gl, run) {
    this.gl = gl;
    this.corners = run.array("solid corners");
    this.body = run.array("solid body");
    this.count = this.corners.length / 3;
    this.isSolid = new Uint8Array(run.bodies);
    this.body.forEach((body) => { this.isSolid[body] = 1; });
    this.place = new Float32Array(this.corners.length);
    this.colour = new Uint8Array(4 * this.count);
    this.places = bufferOf(gl, 4 * this.place.length, gl.DYNAMIC_DRAW);
    this.colours = bufferOf(gl, this.colour.length, gl.DYNAMIC_DRAW);
    this.handle = arrangement(gl, [
      { buffer: this.places, size: 3 },
      { buffer: bufferOf(gl, this.normals()), size: 3 },
      { buffer: this.colours, size: 4, type: gl.UNSIGNED_BYTE },
    ]);
  }

  normals() {
    const { corners } = this;
    const normals = new Float32Array(corners.length);
    for (let k = 0; k < corners.length; k += 9) {
      const [a, b, c] = [0, 3, 6].map((j) => Array.from(corners.subarray(k + j, k + j + 3)));
      const normal = unit(cross(subtract(b, a), subtract(c, a)));
      for (let j = 0; j < 9; j += 3) normals.set(normal, k + j);
    }
    return normals;
  }

  /** The spheres of the others: those of solids have no size. */
  others(spheres) {
    if (this.count === 0) return spheres;
    const others = spheres.slice();
    for (let body = 0; body < this.isSolid.length; body++) if (this.isSolid[body]) others[4 * body + 3] = 0;
    return others;
  }

  update(spheres, colours) {
    const { gl, corners, place, colour, body } = this;
    if (this.count === 0) return;
    for (let k = 0; k < corners.length; k++) {
      place[k] = corners[k] + spheres[4 * body[Math.floor(k / 9)] + (k % 3)];
    }
    for (let k = 0; k < colour.length; k++) colour[k] = colours[4 * body[Math.floor(k / 12)] + (k % 4)];
    gl.bindBuffer(gl.ARRAY_BUFFER, this.places);
    gl.bufferSubData(gl.ARRAY_BUFFER, 0, place);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.colours);
    gl.bufferSubData(gl.ARRAY_BUFFER, 0, colour);
  }

  draw() {
    if (this.count === 0) return;
    this.gl.bindVertexArray(this.handle);
    this.gl.drawArrays(this.gl.TRIANGLES, 0, this.count);
  }
}

/** Lines: `ends` has six numbers for each, `look` gives width and colour (0..255, four of them). */
class Sticks {
  constructor(gl, square, ends, look) {
    this.gl = gl;
    this.count = ends.length / 6;
    const widths = new Float32Array(this.count);
    const colours = new Uint8Array(4 * this.count);
    for (let k = 0; k < this.count; k++) {
      const { width, colour } = look(k);
      widths[k] = width;
      colours.set(colour, 4 * k);
    }
    const places = bufferOf(gl, ends);
    this.handle = arrangement(gl, [
      { buffer: square.corners, size: 2 },
      { buffer: places, size: 3, stride: 24, each: true },
      { buffer: places, size: 3, stride: 24, offset: 12, each: true },
      { buffer: bufferOf(gl, widths), size: 1, each: true },
      { buffer: bufferOf(gl, colours), size: 4, type: gl.UNSIGNED_BYTE, each: true },
    ]);
  }

  draw() {
    this.gl.bindVertexArray(this.handle);
    this.gl.drawArraysInstanced(this.gl.TRIANGLE_STRIP, 0, 4, this.count);
  }
}

/** The container's surface. */
class Glass {
  constructor(gl, run) {
    this.gl = gl;
    const normals = run.array("glass normals");
    // Graphics cards like four bytes better than three.
    const padded = new Int8Array((normals.length / 3) * 4);
    for (let k = 0; k < normals.length; k++) padded[Math.floor(k / 3) * 4 + (k % 3)] = normals[k];
    this.handle = arrangement(gl, [
      { buffer: bufferOf(gl, run.array("glass corners")), size: 3 },
      { buffer: bufferOf(gl, padded), size: 3, type: gl.BYTE, stride: 4 },
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

/** How full space is, on a coarse grid: what is deep in a crowd sees little of the sky. */
class Crowd {
  constructor(gl, run) {
    this.gl = gl;
    let width = 0;
    for (const radius of run.radius) width += (2 * radius) / run.bodies;
    this.cell = Math.max(width, Math.max(...run.size) / 48) || 1;
    this.counts = run.size.map((size) => Math.ceil(size / this.cell) + 2);
    this.extent = this.counts.map((count) => count * this.cell);
    this.start = scaled(this.extent, -0.5);
    this.filled = new Float32Array(this.counts[0] * this.counts[1] * this.counts[2]);
    this.bytes = new Uint8Array(this.filled.length);
    this.texture = gl.createTexture();
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_3D, this.texture);
    gl.texStorage3D(gl.TEXTURE_3D, 1, gl.R8, ...this.counts);
    gl.texParameteri(gl.TEXTURE_3D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_3D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
    for (const side of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T, gl.TEXTURE_WRAP_R]) {
      gl.texParameteri(gl.TEXTURE_3D, side, gl.CLAMP_TO_EDGE);
    }
  }

  /** Shares the volume of every ball among the eight cells around its centre. */
  update(spheres) {
    const { gl, cell, counts, start, filled, bytes } = this;
    const [nx, ny] = counts;
    filled.fill(0);
    for (let k = 0; k < spheres.length; k += 4) {
      const volume = ((4 / 3) * Math.PI * spheres[k + 3] ** 3) / cell ** 3;
      const x = clamp((spheres[k] - start[0]) / cell - 0.5, 0, counts[0] - 1.001);
      const y = clamp((spheres[k + 1] - start[1]) / cell - 0.5, 0, counts[1] - 1.001);
      const z = clamp((spheres[k + 2] - start[2]) / cell - 0.5, 0, counts[2] - 1.001);
      const base = Math.floor(x) + nx * (Math.floor(y) + ny * Math.floor(z));
      for (let near = 0; near < 8; near++) {
        const dx = near & 1;
        const dy = (near >> 1) & 1;
        const dz = near >> 2;
        const share = (dx ? x % 1 : 1 - (x % 1)) * (dy ? y % 1 : 1 - (y % 1)) * (dz ? z % 1 : 1 - (z % 1));
        filled[base + dx + nx * (dy + ny * dz)] += share * volume;
      }
    }
    for (let k = 0; k < filled.length; k++) bytes[k] = Math.min(255, 255 * filled[k]);
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_3D, this.texture);
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    gl.texSubImage3D(gl.TEXTURE_3D, 0, 0, 0, 0, ...counts, gl.RED, gl.UNSIGNED_BYTE, bytes);
  }
}

/** What the lamp sees: the distance to the first ball along each of its rays. */
class Shadows {
  constructor(gl, run) {
    this.gl = gl;
    this.side = 1024;
    this.lamp = unit([-0.36, -0.42, 1]);
    const reach = 0.5 * run.diagonal;
    this.texel = (2 * reach) / this.side;
    const axes = axesAlong(this.lamp, [0, 1, 0]);
    this.matrix = multiply(orthographic(reach, reach, -2 * reach, 2 * reach), viewMatrix([0, 0, 0], axes));
    this.texture = gl.createTexture();
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, this.side, this.side);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
    this.frame = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.frame);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.texture, 0);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  update(program, balls, solidProgram, solids) {
    const { gl } = this;
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.frame);
    gl.viewport(0, 0, this.side, this.side);
    gl.enable(gl.DEPTH_TEST);
    gl.depthMask(true);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    program.use({ matrix: this.matrix, eye: [...this.lamp, 0], shrink: 1 });
    balls.draw();
    solidProgram.use({ matrix: this.matrix });
    solids.draw();
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }
}
