// Which body is under the pointer: rays against balls, meshes and cloth.

class Picker {
  constructor(run) {
    this.run = run;
    this.corners = run.array("mesh corners");
    this.triangles = run.array("mesh triangles");
    this.faces = run.array("cloth faces");
    this.meshes = [];
    let [corner, triangle] = [0, 0];
    const counts = run.array("mesh counts");
    for (let k = 0; k < counts.length; k += 2) {
      this.meshes.push({ corner, triangle, triangles: counts[k + 1] });
      corner += counts[k];
      triangle += counts[k + 1];
    }
  }

  /** The body that a ray meets first; -1 if there is none. */
  bodyOnRay(poses, ray) {
    let [nearest, found] = [Infinity, -1];
    for (let body = 0; body < this.run.rigid; body++) {
      const ahead = ballOnRay(poses.places, 4 * body, ray);
      // Whoever is within the ball around a body meets the body itself, or not at all.
      if (ahead.near > nearest || ahead.far <= 0) continue;
      const mesh = this.run.mesh[body];
      const distance = mesh === NONE ? ahead.near : this.meshOnRay(this.meshes[mesh], poses, body, ray);
      if (distance > 0 && distance < nearest) [nearest, found] = [distance, body];
    }
    const { faces } = this;
    const corner = (body) => [0, 1, 2].map((axis) => poses.places[4 * body + axis]);
    for (let k = 0; k < faces.length; k += 3) {
      const distance = triangleOnRay(corner(faces[k]), corner(faces[k + 1]), corner(faces[k + 2]), ray);
      if (distance < nearest) [nearest, found] = [distance, faces[k]];
    }
    return found;
  }

  /** How far ahead a ray meets a mesh, in the frame of its body. */
  meshOnRay(mesh, { places, turns }, body, { origin, direction }) {
    const centre = [places[4 * body], places[4 * body + 1], places[4 * body + 2]];
    const ray = {
      origin: turnedBack(subtract(origin, centre), turns, 4 * body),
      direction: turnedBack(direction, turns, 4 * body),
    };
    const corner = (k) => {
      const at = 3 * (mesh.corner + this.triangles[k]);
      return [this.corners[at], this.corners[at + 1], this.corners[at + 2]];
    };
    let nearest = Infinity;
    for (let k = 3 * mesh.triangle; k < 3 * (mesh.triangle + mesh.triangles); k += 3) {
      nearest = Math.min(nearest, triangleOnRay(corner(k), corner(k + 1), corner(k + 2), ray));
    }
    return nearest;
  }
}

/** Where a ray enters and leaves the ball that starts at `k` in a list. */
function ballOnRay(balls, k, { origin, direction }) {
  const x = balls[k] - origin[0];
  const y = balls[k + 1] - origin[1];
  const z = balls[k + 2] - origin[2];
  const along = x * direction[0] + y * direction[1] + z * direction[2];
  const root = Math.sqrt(along * along - (x * x + y * y + z * z) + balls[k + 3] ** 2);
  // Not a number, if the ray misses: then no comparison holds.
  return Number.isNaN(root) ? { near: Infinity, far: -1 } : { near: along - root, far: along + root };
}

/** How far ahead a ray meets a triangle, from either side (Moeller and Trumbore). */
function triangleOnRay(a, b, c, { origin, direction }) {
  const [u, v] = [subtract(b, a), subtract(c, a)];
  const across = cross(direction, v);
  const volume = dot(u, across);
  if (volume === 0) return Infinity;
  const from = subtract(origin, a);
  const s = dot(from, across) / volume;
  const around = cross(from, u);
  const t = dot(direction, around) / volume;
  const distance = dot(v, around) / volume;
  return s >= 0 && t >= 0 && s + t <= 1 && distance > 0 ? distance : Infinity;
}
