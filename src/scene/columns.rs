//! What the columns of a file of bodies are, by their names, whatever the format; and lines of cells.

/// Which column says what.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Columns {
    pub x: usize,
    pub y: usize,
    pub z: Option<usize>,
    /// Places are parts of the box's sides.
    pub is_scaled: bool,
    /// And what to multiply it by: it may be a diameter.
    pub radius: Option<(usize, f64)>,
    pub mass: Option<usize>,
    /// Of the ball; instead of the mass.
    pub density: Option<usize>,
    pub id: Option<usize>,
    pub kind: Option<usize>,
    pub frame: Option<usize>,
    pub fixed: Option<usize>,
    /// What is not there is 0.
    pub velocity: [Option<usize>; 3],
    /// In radians per time.
    pub spin: [Option<usize>; 3],
    /// How many there are in all.
    pub count: usize,
}

/// Velocities and spins, as our own files, those of LAMMPS and extended XYZ call them.
const VELOCITY: [&[&str]; 3] = [&["vx"], &["vy"], &["vz"]];
const SPIN: [&[&str]; 3] = [&["wx", "omegax"], &["wy", "omegay"], &["wz", "omegaz"]];

impl Columns {
    /// Of places alone.
    pub fn of_places(x: usize, y: usize, z: Option<usize>, count: usize) -> Columns {
        Columns { x, y, z, count, ..Columns::default() }
    }

    /// Columns of these names; None if they have no places.
    pub fn named(names: &[&str]) -> Option<Columns> {
        let find = |known: &[&str]| {
            let place = |name: &&str| names.iter().position(|own| own.eq_ignore_ascii_case(name));
            known.iter().find_map(place)
        };
        // A file of LAMMPS may have several forms of the same places.
        let forms =
            [["x", "y", "z"], ["xu", "yu", "zu"], ["xs", "ys", "zs"], ["xsu", "ysu", "zsu"]];
        let found = forms
            .iter()
            .find_map(|[x, y, z]| Some((find(&[*x])?, find(&[*y])?, find(&[*z]), x.contains('s'))));
        let (x, y, z, is_scaled) = found?;
        let radius = find(&["radius", "radii"]).map(|column| (column, 1.0));
        let mass = find(&["mass", "masses"]);
        Some(Columns {
            is_scaled,
            radius: radius.or(find(&["diameter", "diameters"]).map(|column| (column, 0.5))),
            mass,
            density: if mass.is_none() { find(&["density"]) } else { None },
            kind: find(&["type", "group", "species"]),
            frame: find(&["frame"]),
            fixed: find(&["fixed"]),
            velocity: VELOCITY.map(find),
            spin: SPIN.map(find),
            ..Columns::of_places(x, y, z, names.len())
        })
    }

    /// The names of the columns that say nothing that is known, each once.
    pub fn unread(&self, names: &[&str]) -> Vec<String> {
        let single = [self.z, self.mass, self.density, self.id, self.kind, self.frame, self.fixed];
        let mut used = vec![self.x, self.y];
        used.extend(single.iter().chain(&self.velocity).chain(&self.spin).flatten());
        used.extend(self.radius.map(|(column, _)| column));
        let mut unread: Vec<String> = Vec::new();
        for (_, name) in names.iter().enumerate().filter(|(k, _)| !used.contains(k)) {
            if !unread.iter().any(|known| known == name) {
                unread.push(name.to_string());
            }
        }
        unread
    }
}

/// What separates the cells of a text: a semicolon or a tab, if its first line has one, else a comma.
pub(super) fn separator(text: &str) -> char {
    let first = text.lines().find(|line| has_content(line)).unwrap_or_default();
    [';', '\t'].into_iter().find(|&c| first.contains(c)).unwrap_or(',')
}

/// The cells of a line, without the quotes around them.
pub(super) fn cells(line: &str, separator: char) -> Vec<&str> {
    let mut is_quoted = false;
    let parts = line.split(|c: char| {
        is_quoted ^= c == '"';
        c == separator && !is_quoted
    });
    parts.map(|cell| unquoted(cell.trim())).collect()
}

fn unquoted(cell: &str) -> &str {
    let inner = cell.strip_prefix('"').and_then(|cell| cell.strip_suffix('"'));
    inner.map_or(cell, str::trim)
}

/// Empty lines and lines that begin with # say nothing.
pub(super) fn has_content(line: &str) -> bool {
    let line = line.trim_start();
    !line.is_empty() && !line.starts_with('#')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_columns_are() {
        let names = ["Id", "XS", "ys", "zs", "diameter", "density", "wz", "color", "color"];
        let found = Columns::named(&names).unwrap();
        assert_eq!((found.x, found.z, found.is_scaled), (1, Some(3), true));
        assert_eq!((found.radius, found.density), (Some((4, 0.5)), Some(5)));
        assert_eq!((found.spin, found.velocity), ([None, None, Some(6)], [None; 3]));
        assert_eq!(found.unread(&names), ["Id", "color"]);
        assert_eq!(Columns::named(&["x", "z"]), None);
        let both = Columns::named(&["xs", "ys", "zs", "x", "y", "z"]).unwrap();
        assert_eq!((both.x, both.is_scaled), (3, false));
    }

    #[test]
    fn cells_may_be_quoted_and_separated_otherwise() {
        assert_eq!(separator("# a;b\nx,y\n"), ',');
        assert_eq!((separator("x;y"), separator("\n x\ty")), (';', '\t'));
        assert_eq!(cells("\"x\", y ,\"a, b\"", ','), ["x", "y", "a, b"]);
        assert_eq!(cells("1;;\"", ';'), ["1", "", "\""]);
    }
}
