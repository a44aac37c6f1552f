//! Positions from files of LAMMPS: text dumps, of which the last snapshot counts,
//! and data files (`atom_style sphere` or `atomic`).

use super::particles::{Columns, File, Particles};
use crate::problem::Result;

impl File<'_> {
    /// A text dump. Positions are those of the box (`x`) or unwrapped (`xu`).
    pub(super) fn dump(&self) -> Result<Particles> {
        let mut particles = Particles::default();
        let mut lines = self.text.lines();
        let mut count = None;
        while let Some(line) = lines.next() {
            match line.trim_end() {
                "ITEM: NUMBER OF ATOMS" => {
                    let line = lines.next().unwrap_or_default();
                    let Ok(number) = line.trim().parse::<usize>() else {
                        return Err(self.problem(line, "expected the number of atoms"));
                    };
                    count = Some(number);
                }
                head if head.starts_with("ITEM: ATOMS") => {
                    let names: Vec<&str> =
                        line["ITEM: ATOMS".len()..].split_ascii_whitespace().collect();
                    let columns = self.columns_of_dump(&names, line)?;
                    particles = Particles::default();
                    let Some(count) = count else {
                        return Err(self.problem(line, "no NUMBER OF ATOMS comes before this"));
                    };
                    for found in 0..count {
                        let Some(line) = lines.next() else {
                            let message = format!("the file ends after {found} of {count} atoms");
                            return Err(self.problem(head, message));
                        };
                        let cells: Vec<&str> = line.split_ascii_whitespace().collect();
                        self.add(&cells, line, &columns, &mut particles)?;
                    }
                }
                _ => {}
            }
        }
        Ok(particles.sorted())
    }

    fn columns_of_dump(&self, names: &[&str], line: &str) -> Result<Columns> {
        let find = |name: &str| names.iter().position(|known| *known == name);
        let place = |axis: &str| find(axis).or_else(|| find(&format!("{axis}u")));
        let (Some(x), Some(y), Some(z)) = (place("x"), place("y"), place("z")) else {
            return Err(self
                .problem(line, "the snapshot has no columns x, y, z, nor xu, yu, zu")
                .help("scaled positions (xs) are not read: dump x y z, or xu yu zu"));
        };
        let diameter = find("diameter").map(|column| (column, 0.5));
        Ok(Columns {
            z: Some(z),
            radius: find("radius").map(|column| (column, 1.0)).or(diameter),
            mass: find("mass"),
            id: find("id"),
            kind: find("type"),
            ..Columns::new(x, y, names.len())
        })
    }

    /// A data file.
    pub(super) fn data(&self) -> Result<Particles> {
        let mut particles = Particles::default();
        let (mut section, mut style) = ("", "");
        let mut of_types: Vec<(&str, f64)> = Vec::new();
        let mut is_first = true;
        for whole in self.text.lines() {
            // The first line is a title, whatever it says.
            let (line, comment) = whole.split_once('#').unwrap_or((whole, ""));
            let cells: Vec<&str> = line.split_ascii_whitespace().collect();
            match cells[..] {
                _ if std::mem::take(&mut is_first) => {}
                [] => {}
                [word, ..] if word.starts_with(|c: char| c.is_ascii_uppercase()) => {
                    (section, style) = (line.trim(), comment.trim());
                }
                [kind, mass] if section == "Masses" => {
                    of_types.push((kind, self.positive(mass, "mass")?));
                }
                _ if section == "Atoms" => {
                    let columns = self.columns_of_data(style, cells.len(), whole)?;
                    self.add(&cells, whole, &columns, &mut particles)?;
                }
                _ => {}
            }
        }
        if particles.masses.is_empty() && !of_types.is_empty() {
            let mass_of = |kind: &String| of_types.iter().find(|(name, _)| name == kind);
            let masses = particles.kinds.iter().map(|kind| mass_of(kind).map(|(_, mass)| *mass));
            particles.masses = masses.collect::<Option<_>>().unwrap_or_default();
        }
        Ok(particles.sorted())
    }

    fn columns_of_data(&self, style: &str, count: usize, line: &str) -> Result<Columns> {
        // Three numbers of images of the box may follow.
        let atoms = |x: usize| Columns {
            z: Some(x + 2),
            id: Some(0),
            kind: Some(1),
            ..Columns::new(x, x + 1, count)
        };
        match (style, count) {
            ("sphere", 7 | 10) => {
                Ok(Columns { radius: Some((2, 0.5)), density: Some(3), ..atoms(4) })
            }
            ("atomic", 5 | 8) => Ok(atoms(2)),
            _ => Err(self
                .problem(line, format!("{count} columns of atoms of the style `{style}`"))
                .help(
                    "sphere (id type diameter density x y z) and atomic (id type x y z) are \
                       read, if the heading says so, such as `Atoms # sphere`",
                )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::particles::read;
    use super::*;
    use crate::math::DVec3;

    fn dump(text: &str) -> Result<Particles> {
        read("x.dump".as_ref(), text, 3)
    }

    const HEAD: &str = "ITEM: TIMESTEP\n7\nITEM: NUMBER OF ATOMS\n2\nITEM: BOX BOUNDS ff ff ff\n\
                        0 1\n0 1\n0 1\n";

    #[test]
    fn the_last_snapshot_of_a_dump_counts_by_number() {
        let text = format!(
            "{HEAD}ITEM: ATOMS id type x y z\n1 1 9 9 9\n2 1 8 8 8\n\
             {HEAD}ITEM: ATOMS id type xu yu zu diameter mass vx\n\
             12 2 4 5 6 1 8 0\n3 1 1 2 3 0.5 7 0\n"
        );
        let found = dump(&text).unwrap();
        assert_eq!(found.positions, [DVec3::new(1.0, 2.0, 3.0), DVec3::new(4.0, 5.0, 6.0)]);
        assert_eq!((found.radii, found.masses), (vec![0.25, 0.5], vec![7.0, 8.0]));
        assert_eq!(found.kinds, ["1", "2"]);
    }

    #[test]
    fn data_files_have_diameters_and_densities_or_masses_of_types() {
        let text = "a title\n\n2 atoms\n2 atom types\n0 4 xlo xhi\n\nAtoms # sphere\n\n\
                    2 1 2 3 4 5 6\n1 2 1 6 1 2 3 0 0 0\n\nVelocities\n\n1 0 0 0 0 0 0\n";
        let found = read("x.data".as_ref(), text, 3).unwrap();
        assert_eq!(found.positions, [DVec3::new(1.0, 2.0, 3.0), DVec3::new(4.0, 5.0, 6.0)]);
        assert_eq!(found.radii, [0.5, 1.0]);
        let unit = 4.0 / 3.0 * std::f64::consts::PI;
        let expected = [6.0 * 0.125 * unit, 3.0 * unit];
        assert!(found.masses.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12 * b));
        let text = "t\n\nMasses\n\n1 5\n2 7 # lead\n\nAtoms # atomic\n\n1 2 0 0 0\n2 1 3 3 3\n";
        let found = read("x.data".as_ref(), text, 3).unwrap();
        assert_eq!((found.masses, found.radii), (vec![7.0, 5.0], vec![]));
    }

    #[test]
    fn what_is_not_understood_is_named() {
        let cases = [
            (dump(&format!("{HEAD}ITEM: ATOMS id type xs ys zs\n")), "no columns x, y, z"),
            (dump(&format!("{HEAD}ITEM: ATOMS id x y z\n1 2 3 4\n")), "after 1 of 2 atoms"),
            (dump("ITEM: ATOMS id x y z\n1 2 3 4\n"), "no NUMBER OF ATOMS"),
            (dump("ITEM: TIMESTEP\n0\n"), "no positions"),
            (
                read("x.data".as_ref(), "t\n\nAtoms # full\n\n1 1 1 0 0 0 0\n", 3),
                "7 columns of atoms of the style `full`",
            ),
        ];
        for (found, part) in cases {
            let problem = found.unwrap_err();
            assert!(problem.message.contains(part), "{problem}");
        }
    }
}
