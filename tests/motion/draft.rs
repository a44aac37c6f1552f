//! The text of a scene, piece by piece, out of random numbers.

use std::fmt::Write;

use riprap::math::Random;

/// How large scenes are.
#[derive(Clone, Copy)]
pub struct Size {
    /// At most so many bodies, and 200 of the kinds that have many ...
    pub bodies: u64,
    /// ... for at most so many steps.
    pub steps: u64,
}

/// What the tests of every day run, and what they wait for.
pub const SMALL: Size = Size { bodies: 8, steps: 20 };
pub const WHOLE: Size = Size { bodies: 200, steps: 150 };

/// Adds lines to a draft, formatted.
macro_rules! say {
    ($draft:expr, $($line:tt)*) => {{
        let line = format!($($line)*);
        $draft.say(line);
    }};
}
pub(super) use say;

/// A scene that is being written.
pub struct Draft {
    pub random: Random,
    pub size: Size,
    pub text: String,
}

impl Draft {
    pub fn say(&mut self, line: impl AsRef<str>) {
        self.text.push_str(line.as_ref());
        self.text.push('\n');
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        (self.random.between(low, high) * 1e4).round() / 1e4
    }

    /// A number of any magnitude.
    pub fn scale(&mut self, low: f64, high: f64) -> f64 {
        let power = self.random.between(low.log10(), high.log10());
        let text = format!("{:.3e}", 10.0_f64.powf(power));
        text.parse().expect("a number")
    }

    pub fn count(&mut self, low: u64, high: u64) -> u64 {
        let high = high.min(self.size.bodies).max(low);
        low + self.random.next_u64() % (high - low + 1)
    }

    pub fn choose(&mut self, from: &[&'static str]) -> &'static str {
        from[(self.random.next_u64() % from.len() as u64) as usize]
    }

    pub fn chance(&mut self, part: f64) -> bool {
        self.random.unit() < part
    }

    pub fn vector(&mut self, most: f64) -> String {
        let mut of = || self.between(-most, most);
        let [x, y, z] = [of(), of(), of()];
        format!("[{x}, {y}, {z}]")
    }

    pub fn head(&mut self, method: &str, dimension: usize) {
        self.say(format!("method = \"{method}\"\ndimension = {dimension}"));
        let down = if dimension == 2 { "0, -9.81" } else { "0, 0, -9.81" };
        self.say(format!("gravity = [{down}]"));
    }

    /// The options, last, as tables of TOML end with the next one.
    pub fn options(&mut self, method: &str, more: &str) {
        let steps = self.size.steps - self.random.next_u64() % (self.size.steps / 2);
        self.say(format!("[{method}]\nsteps = {steps}\n{more}"));
    }

    pub fn floor(&mut self, dimension: usize) {
        let friction = self.between(0.0, 1.0);
        let (size, place) = match dimension {
            2 => ("[60, 2]", "[0, -1]"),
            _ => ("[60, 60, 2]", "[0, 0, -1]"),
        };
        self.say(format!(
            "[[bodies]]\ngroup = \"floor\"\nshape = {{ kind = \"box\", size = {size} }}\n\
             position = {place}\nmotion = \"fixed\"\nfriction = {friction}"
        ));
    }

    pub fn material(&mut self) {
        let (friction, bounce) = (self.between(0.0, 1.0), self.between(0.0, 1.0));
        self.say(format!("friction = {friction}"));
        if self.chance(0.3) {
            self.say(format!("restitution = {bounce}"));
        }
    }

    /// A shape of about the given radius.
    pub fn shape(&mut self, r: f64) -> String {
        let kinds = ["ball", "box", "capsule", "cylinder", "hull", "cubes", "rounded", "compound"];
        let r = |part: f64| (part * r * 1e4).round() / 1e4;
        let own = match self.choose(&kinds) {
            "ball" => format!("kind = \"ball\", radius = {}", r(1.0)),
            "box" => {
                let [a, b, c] = [(); 3].map(|()| r(self.between(0.5, 1.2)));
                format!("kind = \"box\", size = [{a}, {b}, {c}]")
            }
            "capsule" => format!("kind = \"capsule\", radius = {}, length = {}", r(0.5), r(0.9)),
            "cylinder" => {
                let length = r(self.between(0.5, 1.3));
                format!("kind = \"cylinder\", radius = {}, length = {length}", r(0.6))
            }
            "hull" => {
                let mut points = String::new();
                for corner in [[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1], [1, 1, -1]] {
                    let at = corner.map(|side| r(f64::from(side) * self.between(0.4, 0.7)));
                    let _ = write!(points, "{at:?}, ");
                }
                format!("kind = \"hull\", points = [{points}]")
            }
            "cubes" => format!(
                "kind = \"cubes\", size = {}, cells = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]",
                r(0.5)
            ),
            "rounded" => {
                let (a, round) = (r(0.7), r(0.15));
                format!("kind = \"box\", size = [{a}, {a}, {a}], rounding = {round}")
            }
            _ => format!(
                "kind = \"compound\", pieces = [{{ kind = \"ball\", radius = {} }}, \
                 {{ kind = \"box\", size = [{}, {}, {}], at = [{}, 0, 0] }}]",
                r(0.4),
                r(1.0),
                r(0.3),
                r(0.3),
                r(0.2)
            ),
        };
        format!("{{ {own} }}")
    }

    pub fn flat_shape(&mut self, r: f64) -> String {
        let (a, b) = (self.between(0.8, 1.4) * r, self.between(0.4, 1.2) * r);
        let own = match self.choose(&["ball", "box", "polygon", "hook"]) {
            "ball" => format!("kind = \"ball\", radius = {:.4}", r * 0.7),
            "box" => format!("kind = \"box\", size = [{a:.4}, {b:.4}]"),
            "polygon" => {
                format!("kind = \"hull\", points = [[0, 0], [{a:.4}, 0], [{b:.4}, {a:.4}]]")
            }
            _ => format!(
                "kind = \"polygon\", corners = [[0, 0], [{a:.4}, 0], [{0:.4}, {0:.4}], [0, {a:.4}]]",
                0.3 * a
            ),
        };
        format!("{{ {own} }}")
    }
}
