// Vectors are arrays of three numbers; matrices have 16, column after column.

const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const subtract = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const scaled = (a, factor) => [a[0] * factor, a[1] * factor, a[2] * factor];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const length = (a) => Math.hypot(a[0], a[1], a[2]);
const unit = (a) => scaled(a, 1 / (length(a) || 1));
const cross = (a, b) => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

function multiply(a, b) {
  const product = new Float32Array(16);
  for (let column = 0; column < 4; column++) {
    for (let row = 0; row < 4; row++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += a[4 * k + row] * b[4 * column + k];
      product[4 * column + row] = sum;
    }
  }
  return product;
}

/** From the world to a camera at `eye` with these three unit axes; it looks along -back. */
function viewMatrix(eye, { right, up, back }) {
  return new Float32Array([
    right[0], up[0], back[0], 0,
    right[1], up[1], back[1], 0,
    right[2], up[2], back[2], 0,
    -dot(right, eye), -dot(up, eye), -dot(back, eye), 1,
  ]);
}

/** `tangent` is that of half the vertical angle of view. */
function perspective(tangent, aspect, near, far) {
  const depth = 1 / (near - far);
  return new Float32Array([
    1 / (tangent * aspect), 0, 0, 0,
    0, 1 / tangent, 0, 0,
    0, 0, (near + far) * depth, -1,
    0, 0, 2 * near * far * depth, 0,
  ]);
}

function orthographic(halfWidth, halfHeight, near, far) {
  const depth = 1 / (near - far);
  return new Float32Array([
    1 / halfWidth, 0, 0, 0,
    0, 1 / halfHeight, 0, 0,
    0, 0, 2 * depth, 0,
    0, 0, (near + far) * depth, 1,
  ]);
}

/** Three unit axes, the last one along `back`, the second one as close to `up` as it can be. */
function axesAlong(back, up) {
  const right = unit(cross(up, back));
  return { right, up: cross(back, right), back };
}

/** A vector turned by the quaternion (x, y, z, w) that starts at `k` in a list. */
function turned(v, list, k = 0) {
  const [x, y, z, w] = [list[k], list[k + 1], list[k + 2], list[k + 3]];
  const a = 2 * (y * v[2] - z * v[1]);
  const b = 2 * (z * v[0] - x * v[2]);
  const c = 2 * (x * v[1] - y * v[0]);
  return [v[0] + w * a + y * c - z * b, v[1] + w * b + z * a - x * c, v[2] + w * c + x * b - y * a];
}

/** The other way round. */
const turnedBack = (v, list, k) => turned(v, [-list[k], -list[k + 1], -list[k + 2], list[k + 3]]);
