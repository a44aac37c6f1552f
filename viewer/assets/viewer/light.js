// Light: what is in the way of the sky, and of the lamp.

/** How full space is, on a coarse grid: what is deep in a crowd sees little of the sky. */
class Crowd {
  constructor(gl, run) {
    this.gl = gl;
    // The ground is no crowd, and cloth is too thin to be one.
    const isOne = (_, i) => !run.fixed[i] && !run.isParticle(i);
    this.bulk = Float32Array.from(run.array("bulk"), (radius, i) => (isOne(radius, i) ? radius : 0));
    const own = this.bulk.filter((radius) => radius > 0);
    const width = own.reduce((sum, radius) => sum + (2 * radius) / own.length, 0);
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

  /** Shares the volume of every body among the eight cells around its centre. */
  update(places) {
    const { gl, cell, counts, start, filled, bytes, bulk } = this;
    const [nx, ny] = counts;
    filled.fill(0);
    for (let i = 0; i < bulk.length; i++) {
      const x = (places[4 * i] - start[0]) / cell - 0.5;
      const y = (places[4 * i + 1] - start[1]) / cell - 0.5;
      const z = (places[4 * i + 2] - start[2]) / cell - 0.5;
      const inside = x >= 0 && y >= 0 && z >= 0 && x < counts[0] - 1 && y < counts[1] - 1 && z < counts[2] - 1;
      if (bulk[i] === 0 || !inside) continue;
      const volume = ((4 / 3) * Math.PI * bulk[i] ** 3) / cell ** 3;
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

/** What the lamp sees: the distance to the first body along each of its rays. */
class Shadows {
  constructor(gl, run) {
    this.gl = gl;
    this.side = isPlain(gl) ? 512 : 1024;
    this.lamp = unit([-0.36, -0.42, 1]);
    const reach = 0.5 * run.diagonal;
    this.texel = (2 * reach) / this.side;
    const axes = axesAlong(this.lamp, [0, 1, 0]);
    this.matrix = multiply(orthographic(reach, reach, -2 * reach, 2 * reach), viewMatrix([0, 0, 0], axes));
    this.uniforms = { matrix: this.matrix, eye: [...this.lamp, 0], shrink: 1 };
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

  /** `things` are programs, each with what it draws. */
  update(things) {
    const { gl } = this;
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.frame);
    gl.viewport(0, 0, this.side, this.side);
    gl.enable(gl.DEPTH_TEST);
    gl.depthMask(true);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    for (const [program, thing] of things) {
      if (thing.count === 0) continue;
      program.use(this.uniforms);
      thing.draw();
    }
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }
}
