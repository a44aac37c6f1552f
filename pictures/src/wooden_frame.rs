//! The wooden frame around an hourglass.

use glam::Vec3;

use crate::capsule::Capsule;
use crate::material::Material;
use crate::mesh::{Facet, Mesh};
use crate::profile::Profile;
use crate::scene::{Loose, Made, Things};
use crate::stage::AIR;

/// Two round plates and three posts that hold an hourglass.
pub struct WoodenFrame {
    /// Middle of the glass's lower end, and the height of its upper end above it.
    foot: Vec3,
    height: f32,
    plate_radius: f32,
    plate_height: f32,
    post_radius: f32,
}

impl WoodenFrame {
    pub fn around(profile: &Profile) -> WoodenFrame {
        let (bottom, top) = (profile.rings[0].0, profile.rings[profile.rings.len() - 1].0);
        let widest = profile.rings.iter().map(|ring| ring.1).fold(0.0, f32::max);
        WoodenFrame {
            foot: profile.axis.extend(bottom),
            height: top - bottom,
            plate_radius: 1.36 * widest,
            plate_height: 0.05 * (top - bottom),
            post_radius: 0.06 * widest,
        }
    }

    /// Points that the camera must see.
    pub fn outline(&self) -> Vec<Vec3> {
        let (low, high) = (-self.plate_height - AIR, self.height + self.plate_height + AIR);
        Mesh::lathe(&[(self.plate_radius, low), (self.plate_radius, high)], 32)
            .moved(self.foot)
            .vertices
    }

    /// The frame; `azimuth` is where the camera stands, in degrees counter-clockwise from -y.
    pub fn things(&self, azimuth: f32) -> Things {
        let plate = self.plate();
        let base = plate.clone().moved(self.foot - Vec3::Z * (self.plate_height + AIR));
        let cover = plate.moved(self.foot + Vec3::Z * (self.height + AIR));
        let made = |shape: Facet| Made { shape, of: Material::Wood { grain: Vec3::X } };
        let facets = [base, cover].iter().flat_map(Mesh::facets).map(made).collect();
        Things::new(Loose { facets, capsules: self.posts(azimuth), ..Loose::default() })
    }

    /// A disc with rounded rims, standing on z = 0.
    fn plate(&self) -> Mesh {
        let round = 0.25 * self.plate_height;
        let quarter = |middle: f32, from: f32| {
            (0..=4).map(move |i| {
                let angle = (from + 22.5 * i as f32).to_radians();
                (self.plate_radius - round + round * angle.cos(), middle + round * angle.sin())
            })
        };
        let mut profile = vec![(0.0, 0.0)];
        profile.extend(quarter(round, -90.0));
        profile.extend(quarter(self.plate_height - round, 0.0));
        profile.push((0.0, self.plate_height));
        Mesh::lathe(&profile, 96)
    }

    /// Two posts beside the glass and one behind it, as seen from the camera.
    fn posts(&self, azimuth: f32) -> Vec<Made<Capsule>> {
        let reach = self.plate_radius - 1.9 * self.post_radius;
        let post = |turn: f32| {
            let angle = (azimuth + 90.0 + turn).to_radians();
            let start = self.foot + Vec3::new(reach * angle.cos(), reach * angle.sin(), 0.0);
            let shape =
                Capsule { start, end: start + Vec3::Z * self.height, radius: self.post_radius };
            Made { shape, of: Material::Wood { grain: Vec3::Z } }
        };
        [4.0, 124.0, 244.0].map(post).to_vec()
    }
}
