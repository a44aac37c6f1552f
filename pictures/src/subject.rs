//! What a picture must show: everything that moves, at all the moments that are
//! drawn, with the container and the supports around it. A large level support
//! below everything is not a thing to be shown but the floor.

use glam::{DMat3, DVec3};
use riprap::shape::{Aabb, Core};
use riprap::world::{Model, Motion, State};

use crate::view::View;

/// The bodies of a model as a view shows them.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    pub model: &'a Model,
    pub view: View,
    /// See [`View::slab`].
    pub slab: [f64; 2],
}

/// Supports that are the floor.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ground {
    /// The height of the floor, along the view's axis that points up.
    pub height: Option<f64>,
    /// The bodies that are not drawn, because they are the floor.
    pub bodies: Vec<u32>,
}

/// A floor is at least this much wider than all that moves.
const LARGE: f64 = 1.5;
/// The cosine of what counts as level.
const LEVEL: f64 = 1.0 - 1e-9;
/// How deep bodies may sink into a floor, in sizes of all that moves.
const SINK: f64 = 0.01;
/// Supports larger than this, in sizes of all that moves, need not be seen whole.
const WHOLE: f64 = 3.0;
/// What is farther from all that moves than this, likewise, need not be seen.
const NEAR: f64 = 0.5;
/// A body with more corners than this is seen whole if its box is.
const MOST_CORNERS: usize = 64;

impl<'a> Subject<'a> {
    pub fn new(model: &'a Model, view: View) -> Subject<'a> {
        Subject { model, view, slab: view.slab(model) }
    }

    fn is_fixed(&self, body: usize) -> bool {
        self.model.bodies[body].motion == Motion::Fixed
    }

    /// Everything that moves, particles of cloth included; without any, everything.
    fn movers(&self) -> impl Iterator<Item = usize> + '_ {
        let count = self.model.bodies.len();
        let all_fixed = (0..count).all(|body| self.is_fixed(body));
        (0..count).filter(move |&body| all_fixed || !self.is_fixed(body))
    }

    /// The box around a body; none if it is nowhere.
    pub fn bounds(&self, body: usize, state: &State) -> Option<Aabb> {
        let turn = DMat3::from_quat(state.rotations[body]);
        let position = state.positions[body];
        let pieces = self.model.shape(body).pieces.iter();
        let mut around = pieces
            .map(|piece| piece.bounds(position, &turn))
            .reduce(|all, next| all.union(&next))
            .filter(|b| b.min.is_finite() && b.max.is_finite())?;
        if self.view == View::Upright {
            [around.min.z, around.max.z] = self.slab;
        }
        Some(around)
    }

    /// The box around all that moves.
    fn room(&self, shown: &[&State]) -> Option<Aabb> {
        let boxes = shown.iter().flat_map(|state| self.movers().map(|i| self.bounds(i, state)));
        boxes.flatten().reduce(|all, next| all.union(&next))
    }

    /// Points that are all in the picture if the body is.
    fn corners(&self, body: usize, state: &State, points: &mut Vec<DVec3>) {
        let Some(around) = self.bounds(body, state) else { return };
        match &self.model.shape(body).pieces[..] {
            [piece] if matches!(piece.core, Core::Point) && self.view != View::Upright => {
                for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
                    let reach = 0.5 * around.size() * axis;
                    points.extend([around.centre() - reach, around.centre() + reach]);
                }
            }
            [piece] if piece.radius == 0.0 => match &piece.core {
                Core::Polytope(core) if core.corners().len() <= MOST_CORNERS => {
                    let corners = piece.polytope();
                    let place = |c: &DVec3| state.point(Some(body as u32), *c);
                    let placed = corners.corners().iter().map(place);
                    points.extend(placed.flat_map(|p| self.lifted(p)));
                }
                _ => points.extend(corners_of(&around)),
            },
            _ => points.extend(corners_of(&around)),
        }
    }

    /// A support is seen whole or, if it is too large, as far as it is near to what moves.
    fn support(&self, body: usize, state: &State, room: &Aabb, points: &mut Vec<DVec3>) {
        let Some(around) = self.bounds(body, state) else { return };
        let size = room.size().length();
        if around.size().length() <= WHOLE * size {
            return self.corners(body, state, points);
        }
        let near = room.grow(NEAR * size);
        if near.overlaps(&around) {
            let part = Aabb { min: near.min.max(around.min), max: near.max.min(around.max) };
            points.extend(corners_of(&part));
        }
    }

    /// A point of a flat scene on both faces of its slab; a point in space as it is.
    fn lifted(&self, p: DVec3) -> Vec<DVec3> {
        match self.view {
            View::Upright => self.slab.map(|z| DVec3::new(p.x, p.y, z)).to_vec(),
            View::Space | View::Table => vec![p],
        }
    }

    /// The points that the picture must show; there is always at least one.
    pub fn seen(&self, shown: &[&State], ground: &Ground) -> Vec<DVec3> {
        let mut points = Vec::new();
        for state in shown {
            self.movers().for_each(|body| self.corners(body, state, &mut points));
            // What hangs is seen with what it hangs from.
            let held = self.model.joints.iter();
            let held = held.filter(|joint| joint.distance().is_some() || joint.holds_a_point());
            points.extend(held.flat_map(|joint| joint.ends(state)).flat_map(|p| self.lifted(p)));
        }
        let room = Aabb::from_points(points.iter().copied());
        if let Some(state) = shown.first() {
            let fixed = (0..self.model.bodies.len()).filter(|&body| self.is_fixed(body));
            for body in fixed.filter(|&body| !ground.bodies.contains(&(body as u32))) {
                self.support(body, state, &room, &mut points);
            }
        }
        let faces = self.model.boundary.faces();
        let walls = faces.iter().flat_map(|face| face.corners.iter().copied());
        points.extend(walls.flat_map(|p| self.lifted(p)));
        points.retain(|p| p.is_finite());
        if points.is_empty() {
            points.push(DVec3::ZERO);
        }
        points
    }

    /// Which supports are the floor: level, wider than all that moves, and below it.
    pub fn ground(&self, shown: &[&State]) -> Ground {
        let mut ground = Ground::default();
        let (Some(room), Some(start)) = (self.room(shown), shown.first()) else { return ground };
        if self.view == View::Table {
            return ground;
        }
        for body in (0..self.model.bodies.len()).filter(|&body| self.is_fixed(body)) {
            let top = self.level_top(body, start).filter(|top| self.is_below(top, &room));
            if let Some(top) = top {
                let height = top.max[self.view.up()];
                ground.height = Some(ground.height.map_or(height, |known| known.max(height)));
                ground.bodies.push(body as u32);
            }
        }
        ground
    }

    /// The box around the facet that is on top of a support of one piece, if that is level.
    fn level_top(&self, body: usize, state: &State) -> Option<Aabb> {
        let [piece] = &self.model.shape(body).pieces[..] else { return None };
        let Core::Polytope(_) = piece.core else { return None };
        let core = piece.polytope().placed(state.positions[body], state.rotations[body]);
        let up = DVec3::AXES[self.view.up()];
        let facet = core.facets().iter().find(|facet| facet.normal.dot(up) > LEVEL)?;
        let corners = facet.corners.iter().map(|&k| core.corners()[k as usize]);
        Some(Aabb::from_points(corners).moved(piece.radius * up))
    }

    /// Whether all that moves is above this facet, and within its limits; so is the container.
    fn is_below(&self, top: &Aabb, room: &Aabb) -> bool {
        let wide = |&axis: &usize| {
            let over = top.min[axis] <= room.min[axis] && top.max[axis] >= room.max[axis];
            over && top.size()[axis] >= LARGE * room.size()[axis]
        };
        let up = self.view.up();
        let above = |lowest: f64| top.max[up] <= lowest + SINK * room.size().length();
        let walls = self.model.boundary.bounds().min[up];
        let no_walls = self.model.boundary.faces().is_empty();
        self.view.level().iter().all(wide) && above(room.min[up]) && (no_walls || above(walls))
    }

    /// The lowest point of what is drawn.
    pub fn lowest(&self, seen: &[DVec3], shown: &[&State]) -> f64 {
        let up = self.view.up();
        // Of round bodies, no corner need be as low as the body.
        let bodies = self.room(shown).map_or(f64::INFINITY, |room| room.min[up]);
        seen.iter().map(|p| p[up]).fold(bodies, f64::min)
    }
}

/// The corners of a box.
fn corners_of(around: &Aabb) -> impl Iterator<Item = DVec3> + '_ {
    (0..8).map(|k| {
        let high = glam::BVec3::new(k & 1 != 0, k & 2 != 0, k & 4 != 0);
        DVec3::select(high, around.max, around.min)
    })
}
