//! From the groups of a scene to bodies: grids, lists, files and random
//! fillings, with radii and masses. Every group draws from its own stream of
//! random numbers, so that a change to one group leaves the others alone.

use std::f64::consts::PI;
use std::path::Path;

use super::fill::{Crowd, Region};
use super::particles::{self, Particles};
use super::source::into_text;
use super::{Bodies, Place, Scene, Size, Weight, format};
use crate::math::{DVec3, Random};
use crate::problem::{Problem, Result};
use crate::shape::{Boundary, Solid};

/// A body as it starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    pub position: DVec3,
    pub radius: f64,
    pub mass: f64,
}

/// A radius that falls outside its limits is drawn again, but not forever.
const MOST_REDRAWS: usize = 100_000;

/// The spheres of each entry of the scene's list of bodies, in its order.
/// Random fillings come last and keep clear of everything else.
/// `solids` has what the bodies of each entry are, if they are no spheres: room
/// is made for the spheres that hold them.
pub fn generate(
    scene: &Scene,
    boundary: &Boundary,
    solids: &[Option<Solid>],
) -> Result<Vec<Vec<Sphere>>> {
    check_total(scene)?;
    let mut entries = vec![Vec::new(); scene.bodies.len()];
    for (index, bodies) in scene.bodies.iter().enumerate() {
        let group = Group::new(scene, bodies, index, &solids[index]);
        entries[index] = match &bodies.place {
            Place::List { positions } => group.listed(positions.clone())?,
            Place::Grid { count, first, spacing, jitter } => {
                group.grid(*count, *first, *spacing, *jitter)?
            }
            Place::File { file } => group.file(file)?,
            Place::Random { .. } => continue,
        };
    }
    let mut crowd = Crowd::default();
    for sphere in entries.iter().flatten() {
        crowd.insert(sphere.position, sphere.radius);
    }
    for (index, bodies) in scene.bodies.iter().enumerate() {
        if let Place::Random { count, min, max } = bodies.place {
            let region = Region::new(boundary, min, max, scene.dimension);
            entries[index] = Group::new(scene, bodies, index, &solids[index])
                .random(count, &region, &mut crowd)?;
        }
    }
    Ok(entries)
}

/// Refuses more bodies than anyone has memory for, before making them.
fn check_total(scene: &Scene) -> Result<()> {
    let mut total = 0_u64;
    for bodies in &scene.bodies {
        let count = match &bodies.place {
            Place::List { positions } => positions.len(),
            Place::Grid { count, .. } => count.iter().fold(1_usize, |n, &m| n.saturating_mul(m)),
            Place::Random { count, .. } => *count,
            Place::File { .. } => 0, // bounded by the length of the file
        };
        total = total.saturating_add(count as u64);
        if total > format::MOST_BODIES {
            let message = format!("the scene has more than {} bodies", format::MOST_BODIES);
            return Err(scene.problem(&bodies.span, message));
        }
    }
    Ok(())
}

/// One entry of the scene's list of bodies, and its random numbers.
struct Group<'a> {
    scene: &'a Scene,
    bodies: &'a Bodies,
    solid: &'a Option<Solid>,
    random: Random,
}

impl<'a> Group<'a> {
    fn new(scene: &'a Scene, bodies: &'a Bodies, index: usize, solid: &'a Option<Solid>) -> Self {
        Group { scene, bodies, solid, random: Random::stream(scene.seed, index as u64) }
    }

    fn listed(mut self, positions: Vec<DVec3>) -> Result<Vec<Sphere>> {
        let radii = self.radii(positions.len())?;
        self.spheres(positions, radii, &[])
    }

    fn grid(
        mut self,
        count: [usize; 3],
        first: DVec3,
        spacing: DVec3,
        jitter: f64,
    ) -> Result<Vec<Sphere>> {
        let mut positions = Vec::with_capacity(count.iter().product());
        for k in 0..count[2] {
            for j in 0..count[1] {
                for i in 0..count[0] {
                    let steps = DVec3::new(i as f64, j as f64, k as f64);
                    positions.push(first + steps * spacing + self.jitter(jitter));
                }
            }
        }
        self.listed(positions)
    }

    /// Each coordinate evenly distributed in -size..size.
    fn jitter(&mut self, size: f64) -> DVec3 {
        let mut coordinates = [0.0; 3];
        for coordinate in coordinates.iter_mut().take(self.scene.dimension) {
            *coordinate = self.random.between(-size, size);
        }
        DVec3::from_array(coordinates)
    }

    fn file(mut self, file: &Path) -> Result<Vec<Sphere>> {
        let span = &self.bodies.span;
        let opened = self.scene.source.files.read(file);
        let (path, bytes) = opened.map_err(|p| self.scene.problem(span, p.message))?;
        let text = into_text(&path, bytes)?;
        let Particles { positions, radii, masses } =
            particles::read(&path, &text, self.scene.dimension)?;
        let conflict = |column: &str, field: &str| {
            let message = format!(
                "`bodies.{field}` is given, but {} has a column for {column}",
                path.display()
            );
            let help = format!("leave `{field}` out, or the column");
            Err(self.scene.problem(span, message).help(help))
        };
        let radii = match (&self.bodies.size, radii.is_empty()) {
            (Size::FromFile, true) => {
                let message = format!("{} has no column for the radius", path.display());
                let help = "name a column `radius` in its header, or give `radius` in the scene";
                return Err(self.scene.problem(span, message).help(help));
            }
            (Size::FromFile, false) => radii,
            (_, true) => self.radii(positions.len())?,
            (_, false) => return conflict("radii", "radius"),
        };
        match self.bodies.weight {
            Weight::Mass(_) if !masses.is_empty() => conflict("masses", "mass"),
            Weight::Density(_) if !masses.is_empty() => conflict("masses", "density"),
            _ => self.spheres(positions, radii, &masses),
        }
    }

    /// Largest first, so that the small ones find the holes.
    fn random(mut self, count: usize, region: &Region, crowd: &mut Crowd) -> Result<Vec<Sphere>> {
        if region.is_empty() {
            let group = &self.bodies.group;
            let message =
                format!("the random group \"{group}\" has its min..max outside the container");
            return Err(self.scene.problem(&self.bodies.span, message));
        }
        let mut radii = self.radii(count)?;
        radii.sort_by(|a, b| b.total_cmp(a));
        let mut positions = Vec::with_capacity(count);
        for &radius in &radii {
            let Some(position) = region.find_room(radius, crowd, &mut self.random) else {
                return Err(self.does_not_fit(positions.len(), &radii, region));
            };
            crowd.insert(position, radius);
            positions.push(position);
        }
        self.spheres(positions, radii, &[])
    }

    fn does_not_fit(&self, fitted: usize, radii: &[f64], region: &Region) -> Problem {
        let (count, group) = (radii.len(), &self.bodies.group);
        let what = if self.solid.is_some() { "solids" } else { "spheres" };
        let message =
            format!("only {fitted} of {count} {what} of the group \"{group}\" fitted at random");
        let help = format!(
            "they would fill {:.1} % of their region; a random filling stops at about {} %, in \
             narrow places sooner: use fewer or smaller {what}, a larger region, or a grid",
            100.0 * region.fraction_of(radii),
            if self.scene.dimension == 2 { 54 } else { 38 },
        );
        self.scene.problem(&self.bodies.span, message).help(help)
    }

    fn radii(&mut self, count: usize) -> Result<Vec<f64>> {
        match &self.bodies.size {
            Size::Each { radii } if radii.len() == count => return Ok(radii.clone()),
            _ => {}
        }
        (0..count).map(|_| self.radius()).collect()
    }

    fn radius(&mut self) -> Result<f64> {
        if let Some(solid) = self.solid {
            return Ok(solid.reach());
        }
        match &self.bodies.size {
            Size::Equal { radius } => Ok(*radius),
            Size::Uniform { min, max } => Ok(self.random.between(*min, *max)),
            Size::Lognormal { median, sigma, min, max } => {
                for _ in 0..MOST_REDRAWS {
                    let radius = median * (sigma * self.random.normal()).exp();
                    if (*min..=*max).contains(&radius) {
                        return Ok(radius);
                    }
                }
                let message = format!("almost no radius lies between {min:?} and {max:?}");
                let help = "a smaller sigma, or limits further apart";
                Err(self.scene.problem(&self.bodies.span, message).help(help))
            }
            Size::Table { radii, shares } => {
                let mut left = self.random.unit() * shares.iter().sum::<f64>();
                for (radius, share) in radii.iter().zip(shares) {
                    if left < *share {
                        return Ok(*radius);
                    }
                    left -= share;
                }
                // Rounding can leave a little; the last radius takes it.
                Ok(radii.last().copied().unwrap_or(f64::NAN))
            }
            Size::Each { .. } | Size::FromFile | Size::OfShape => {
                let message =
                    "the radii come from a list or a file that does not fit the positions";
                Err(self.scene.problem(&self.bodies.span, message))
            }
        }
    }

    fn spheres(
        &self,
        positions: Vec<DVec3>,
        radii: Vec<f64>,
        masses: &[f64],
    ) -> Result<Vec<Sphere>> {
        let sphere = |(index, (position, radius)): (usize, (DVec3, f64))| {
            let size = match (self.solid, self.scene.dimension) {
                (Some(solid), _) => solid.mass.volume,
                (None, 2) => PI * radius * radius,
                (None, _) => 4.0 / 3.0 * PI * radius * radius * radius,
            };
            let mass = match (self.bodies.weight, masses.get(index)) {
                (Weight::Mass(mass), _) => mass,
                (Weight::Density(density), _) => density * size,
                (Weight::FromFile, Some(mass)) => *mass,
                (Weight::FromFile, None) => size,
            };
            let sphere = Sphere { position, radius, mass };
            let good = |x: f64| x > 0.0 && x.is_finite();
            if position.is_finite() && good(radius) && good(mass) {
                return Ok(sphere);
            }
            let message = format!(
                "number {index} of the group \"{}\" has no finite position, radius and mass: {:?}",
                self.bodies.group, sphere
            );
            let help = "choose units in which lengths and masses are not far from 1";
            Err(self.scene.problem(&self.bodies.span, message).help(help))
        };
        positions.into_iter().zip(radii).enumerate().map(sphere).collect()
    }
}
