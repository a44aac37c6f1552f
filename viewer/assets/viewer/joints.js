// Joints: points and axes, ropes and bars, wherever their bodies are.

/** How a joint is drawn, as the page counts it. */
const [POINT, AXIS, AXES, ROPE, BAR, TURN] = [0, 1, 2, 3, 4, 5];

/** The size of a point, and the length and width of an axis, in the radius of the smaller body. */
const [SPOT, AXLE, THICK] = [0.16, 0.8, 0.12];
/** A particle of cloth is hidden by its point. */
const KNOT = 1.5;

const JOINT_COLOURS = { point: [250, 250, 250, 255], axis: [214, 64, 88, 255], rope: [150, 120, 84, 255], bar: [70, 78, 90, 255] };

class Joints {
  constructor(gl, square, run) {
    this.run = run;
    this.look = run.array("joint look");
    this.bodies = run.array("joint bodies");
    this.points = run.array("joint points");
    this.axes = run.array("joint axes");
    this.list = this.sticksAndSpots();
    const { sticks, spots } = this.list;
    this.count = sticks.length + spots.length;
    this.ends = new Float32Array(6 * sticks.length);
    const look = ({ joint, colour, width }) => ({
      colour: JOINT_COLOURS[colour],
      width: width * THICK * this.size(joint),
    });
    this.sticks = new Sticks(gl, square, this.ends, (k) => look(sticks[k]), gl.DYNAMIC_DRAW);
    this.spots = new Balls(gl, square, spots);
    for (let k = 0; k < spots.length; k++) this.spots.colour.set(JOINT_COLOURS.point, 4 * k);
  }

  /** What there is to draw: lines, each by its joint and kind, and points, each by its joint. */
  sticksAndSpots() {
    const [sticks, spots] = [[], []];
    this.look.forEach((look, joint) => {
      if (look === ROPE || look === BAR) {
        const colour = look === ROPE ? "rope" : "bar";
        sticks.push({ joint, between: true, colour, width: look === ROPE ? 0.7 : 1 });
      }
      if (look === POINT || look === AXIS || look === AXES) spots.push(joint);
      const sides = { [AXIS]: [1], [AXES]: [0, 1], [TURN]: [0, 1] }[look] ?? [];
      for (const side of sides) sticks.push({ joint, side, colour: "axis", width: 0.8 });
    });
    return { sticks, spots };
  }

  /** The radius of the smaller of the bodies of a joint. */
  size(joint) {
    const bodies = this.bodies.subarray(2 * joint, 2 * joint + 2).filter((body) => body !== NONE);
    return Math.min(...Array.from(bodies, (body) => this.run.radius[body]), this.run.typical);
  }

  /** Something of a body's frame, in the world: a point if it is to be `moved`. */
  world(list, joint, side, { places, turns }, moved) {
    const k = 2 * joint + side;
    const own = [list[3 * k], list[3 * k + 1], list[3 * k + 2]];
    const body = this.bodies[k];
    if (body === NONE) return own;
    const there = turned(own, turns, 4 * body);
    return moved ? add(there, [places[4 * body], places[4 * body + 1], places[4 * body + 2]]) : there;
  }

  update(poses) {
    if (this.count === 0) return;
    const { ends, list, spots } = this;
    const point = (joint, side) => this.world(this.points, joint, side, poses, true);
    list.sticks.forEach(({ joint, between, side }, k) => {
      if (between) {
        ends.set(point(joint, 0), 6 * k);
        ends.set(point(joint, 1), 6 * k + 3);
        return;
      }
      const middle = point(joint, this.look[joint] === TURN ? side : 0);
      const half = scaled(this.world(this.axes, joint, side, poses, false), AXLE * this.size(joint));
      ends.set(subtract(middle, half), 6 * k);
      ends.set(add(middle, half), 6 * k + 3);
    });
    list.spots.forEach((joint, k) => {
      spots.sphere.set(point(joint, 0), 4 * k);
      const tied = this.run.isParticle(this.bodies[2 * joint]);
      spots.sphere[4 * k + 3] = (tied ? KNOT : SPOT) * this.size(joint);
    });
    this.sticks.update(ends);
    spots.send();
  }
}
