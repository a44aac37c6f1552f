// Where the reader looks from: around a target in 3D, straight down on a plane in 2D.

const TANGENT = Math.tan((15 * Math.PI) / 180);

class Camera {
  constructor(run) {
    this.run = run;
    this.apart = 0;
    this.aspect = 1;
    this.reset();
  }

  /** The whole scene, seen from a little above. */
  reset() {
    // What is taken apart takes more room, away from its foot.
    this.target = this.apart > 0 ? scaled(this.run.exhibit.foot, -this.apart) : [0, 0, 0];
    this.azimuth = -1.15;
    this.elevation = this.run.flat ? Math.PI / 2 : 0.3;
    this.axes = this.orientation();
    this.distance = this.fittingDistance();
    this.untouched = true;
  }

  setAspect(aspect) {
    this.aspect = aspect;
    if (this.untouched) this.reset();
  }

  orientation() {
    if (this.run.flat) return { right: [1, 0, 0], up: [0, 1, 0], back: [0, 0, 1] };
    const across = Math.cos(this.elevation);
    const back = [
      across * Math.cos(this.azimuth),
      across * Math.sin(this.azimuth),
      Math.sin(this.elevation),
    ];
    return axesAlong(back, [0, 0, 1]);
  }

  /** The distance from which every corner of the scene is just in view. */
  fittingDistance() {
    const half = scaled(this.run.size, 0.5 * (1 + this.apart));
    const [tall, wide] = [TANGENT * 0.86, TANGENT * 0.9 * this.aspect];
    let distance = 0;
    for (let k = 0; k < 8; k++) {
      const corner = [0, 1, 2].map((axis) => (k & (1 << axis) ? half[axis] : -half[axis]));
      const [x, y, z] = ["right", "up", "back"].map((axis) => dot(this.axes[axis], corner));
      const needed = Math.max(Math.abs(x) / wide, Math.abs(y) / tall);
      distance = Math.max(distance, needed + (this.run.flat ? 0 : z));
    }
    return distance || 1;
  }

  get eye() {
    return add(this.target, scaled(this.axes.back, this.distance));
  }

  /** Half the height of what is seen at the target. */
  get halfHeight() {
    return TANGENT * this.distance;
  }

  matrix() {
    const reach = 2 * this.run.diagonal;
    const view = viewMatrix(this.eye, this.axes);
    if (this.run.flat) {
      const half = this.halfHeight;
      return multiply(orthographic(half * this.aspect, half, this.distance - reach, this.distance + reach), view);
    }
    const near = Math.max(this.distance - reach, 0.004 * this.distance);
    return multiply(perspective(TANGENT, this.aspect, near, this.distance + 4 * reach), view);
  }

  /** Turns by fractions of the window. */
  turn(x, y) {
    this.untouched = false;
    this.azimuth -= 4 * x;
    this.elevation = clamp(this.elevation + 3 * y, -1.55, 1.55);
    this.axes = this.orientation();
  }

  /** Moves by fractions of the window's height. */
  move(x, y) {
    this.untouched = false;
    const step = 2 * this.halfHeight;
    const shift = add(scaled(this.axes.right, -x * step), scaled(this.axes.up, y * step));
    this.target = add(this.target, shift);
  }

  /** Zooms so that the point of the window at (x, y), each in -1..1, stays where it is. */
  zoom(factor, x = 0, y = 0) {
    this.untouched = false;
    const before = this.distance;
    const reach = this.run.diagonal;
    this.distance = clamp(before * factor, 1e-3 * reach, 30 * reach);
    const moved = TANGENT * (before - this.distance);
    const shift = add(
      scaled(this.axes.right, x * moved * this.aspect),
      scaled(this.axes.up, y * moved),
    );
    this.target = add(this.target, shift);
  }

  /** The ray through a point of the window, each coordinate in -1..1. */
  ray(x, y) {
    const { right, up, back } = this.axes;
    const across = (reach) => add(scaled(right, x * this.aspect * reach), scaled(up, y * reach));
    if (this.run.flat) {
      const above = scaled(back, this.run.diagonal);
      const origin = add(add(this.eye, above), across(this.halfHeight));
      return { origin, direction: scaled(back, -1) };
    }
    return { origin: this.eye, direction: unit(subtract(across(TANGENT), back)) };
  }
}
