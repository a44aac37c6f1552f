//! Positions from files of LAMMPS: text dumps, of which the last snapshot counts,
//! and data files (`atom_style sphere` or `atomic`).

use std::collections::BTreeMap;

use super::columns::Columns;
use super::particles::{File, Particles};
use crate::math::DVec3;
use crate::problem::Result;

impl File<'_> {
    /// A text dump. Positions are those of the box (`x`), unwrapped (`xu`), or parts of the sides of
    /// the box (`xs`), upright or slanted.
    pub(super) fn dump(&self) -> Result<Particles> {
        let mut particles = Particles::default();
        let mut lines = self.text.lines();
        let (mut count, mut sides) = (None, None);
        while let Some(line) = lines.next() {
            match line.trim_end() {
                "ITEM: NUMBER OF ATOMS" => {
                    let line = lines.next().unwrap_or_default();
                    let Ok(number) = line.trim().parse::<usize>() else {
                        return Err(self.problem(line, "expected the number of atoms"));
                    };
                    count = Some(number);
                }
                head if head.starts_with("ITEM: BOX BOUNDS") => {
                    sides = Some((line, [(); 3].map(|()| lines.next().unwrap_or_default())));
                }
                head if head.starts_with("ITEM: ATOMS") => {
                    let names: Vec<&str> =
                        line["ITEM: ATOMS".len()..].split_ascii_whitespace().collect();
                    let columns = self.columns_of_dump(&names, line)?;
                    particles = Particles::default();
                    particles.unread = columns.unread(&names);
                    if let Some((bounds, _)) = sides.filter(|(line, _)| line.contains('p')) {
                        particles.unread.push(format!("{} (images)", &bounds["ITEM: ".len()..]));
                    }
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
                    if columns.is_scaled {
                        self.unscale(line, sides, &mut particles.positions)?;
                    }
                }
                // What else a snapshot tells of itself: its time, its units.
                head if head.starts_with("ITEM: ") => drop(lines.next()),
                "" => {}
                _ if particles.positions.is_empty() => {
                    return Err(self.foreign("expected a dump, whose parts begin with ITEM:"));
                }
                _ => {
                    let message = "more lines of atoms than NUMBER OF ATOMS says";
                    return Err(self.problem(line, message));
                }
            }
        }
        self.by_number(particles)
    }

    fn by_number(&self, particles: Particles) -> Result<Particles> {
        particles.sorted().map_err(|id| self.foreign(format!("two atoms have the number {id}")))
    }

    /// Makes lengths of parts of the sides of the box.
    fn unscale(
        &self,
        head: &str,
        sides: Option<(&str, [&str; 3])>,
        positions: &mut [DVec3],
    ) -> Result<()> {
        let help = "dump x y z, or xu yu zu";
        let Some((line, bounds)) = sides else {
            return Err(self.problem(head, "no BOX BOUNDS come before scaled places").help(help));
        };
        if line.contains("abc") {
            let message = "scaled places in a box of any directions are not read";
            return Err(self.problem(line, message).help(help));
        }
        let is_slanted = line.contains("xy xz yz");
        let (mut low, mut high, mut slant) = (DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
        for (axis, bound) in bounds.into_iter().enumerate() {
            let cells: Vec<&str> = bound.split_ascii_whitespace().collect();
            let numbers = cells.iter().map(|cell| self.number(cell, "a side of the box"));
            let numbers = numbers.collect::<Result<Vec<f64>>>()?;
            match (&numbers[..], is_slanted) {
                (&[from, to], false) => (low[axis], high[axis]) = (from, to),
                (&[from, to, by], true) => {
                    (low[axis], high[axis], slant[axis]) = (from, to, by);
                }
                _ => {
                    let message = "expected where a side of the box begins and ends";
                    return Err(self.problem(bound, message));
                }
            }
        }
        // The file has the upright box around a slanted one.
        let [xy, xz, yz] = slant.to_array();
        let along = [[0.0, xy, xz, xy + xz], [0.0, yz, 0.0, yz]];
        for (axis, ends) in along.into_iter().enumerate() {
            low[axis] -= ends.into_iter().fold(0.0, f64::min);
            high[axis] -= ends.into_iter().fold(0.0, f64::max);
        }
        let size = high - low;
        for at in positions {
            let lean = DVec3::new(at.y * xy + at.z * xz, at.z * yz, 0.0);
            *at = low + *at * size + lean;
        }
        Ok(())
    }

    fn columns_of_dump(&self, names: &[&str], line: &str) -> Result<Columns> {
        if names.contains(&"shapex") {
            let message = "atoms with a column shapex are ellipsoids, which are not read";
            return Err(self.problem(line, message).help("leave the column out if they are balls"));
        }
        match Columns::named(names).filter(|found| found.z.is_some()) {
            Some(columns) => {
                Ok(Columns { id: names.iter().position(|name| *name == "id"), ..columns })
            }
            None => {
                let message = "the snapshot has no columns x, y, z, nor xu, yu, zu, nor xs, ys, zs";
                Err(self.problem(line, message))
            }
        }
    }

    /// A data file.
    pub(super) fn data(&self) -> Result<Particles> {
        let mut particles = Particles::default();
        let (mut section, mut style) = ("", "");
        let mut of_types: Vec<(&str, f64)> = Vec::new();
        let mut moves: Vec<(&str, [DVec3; 2])> = Vec::new();
        let mut is_first = true;
        let mut count = None;
        for whole in self.text.lines() {
            // The first line is a title, whatever it says.
            let (line, comment) = whole.split_once('#').unwrap_or((whole, ""));
            let cells: Vec<&str> = line.split_ascii_whitespace().collect();
            match cells[..] {
                _ if std::mem::take(&mut is_first) => {}
                [] => {}
                [word, ..] if word.starts_with(|c: char| c.is_ascii_uppercase()) => {
                    (section, style) = (line.trim(), comment.trim());
                    if !["Masses", "Atoms", "Velocities"].contains(&section) {
                        particles.unread.push(section.to_string());
                    }
                }
                [number, "atoms"] if section.is_empty() => {
                    count = number.parse::<usize>().ok();
                }
                [kind, mass] if section == "Masses" => {
                    of_types.push((kind, self.positive(mass, "mass")?));
                }
                _ if section == "Atoms" => {
                    let columns = self.columns_of_data(style, &cells, whole)?;
                    self.add(&cells, whole, &columns, &mut particles)?;
                }
                [id, ref cells @ ..]
                    if section == "Velocities" && [3, 6].contains(&cells.len()) =>
                {
                    let mut numbers = [0.0; 6];
                    for (number, cell) in numbers.iter_mut().zip(cells) {
                        *number = self.number(cell, "the velocity")?;
                    }
                    let [velocity, spin] = [0, 3].map(|k| DVec3::from_slice(&numbers[k..]));
                    moves.push((id, [velocity, spin]));
                }
                _ => {}
            }
        }
        let found = particles.positions.len();
        if let Some(count) = count.filter(|count| *count != found) {
            return Err(self.foreign(format!("its head says {count} atoms, but it has {found}")));
        }
        if !moves.is_empty() {
            let moves: BTreeMap<u64, [DVec3; 2]> =
                moves.iter().filter_map(|(id, move_)| Some((id.parse().ok()?, *move_))).collect();
            let of = |id: &u64| moves.get(id).copied().unwrap_or_default();
            particles.motions = particles.ids.iter().map(of).collect();
        }
        if particles.masses.is_empty() && !of_types.is_empty() {
            let mass_of = |kind: &String| of_types.iter().find(|(name, _)| name == kind);
            let masses = particles.kinds.iter().map(|kind| mass_of(kind).map(|(_, mass)| *mass));
            particles.masses = masses.collect::<Option<_>>().unwrap_or_default();
        }
        self.by_number(particles)
    }

    /// Without a style, it must be clear from the cells: balls have diameters with a point where
    /// molecules have the number of a type, and the images of a box are whole.
    fn columns_of_data(&self, style: &str, cells: &[&str], line: &str) -> Result<Columns> {
        let count = cells.len();
        let is_whole = |cell: &&str| cell.parse::<i64>().is_ok();
        let images_fit = |count: usize| cells.iter().skip(count).all(is_whole);
        // Three numbers of images of the box may follow.
        let atoms = |x: usize| Columns {
            id: Some(0),
            kind: Some(1),
            ..Columns::of_places(x, x + 1, Some(x + 2), count)
        };
        match (style, count) {
            ("sphere", 7 | 10) => {
                Ok(Columns { radius: Some((2, 0.5)), density: Some(3), ..atoms(4) })
            }
            ("atomic", 5 | 8) => Ok(atoms(2)),
            ("", 5 | 8) if images_fit(5) => Ok(atoms(2)),
            ("", 7 | 10) if images_fit(7) && !is_whole(&cells[2]) => {
                Ok(Columns { radius: Some((2, 0.5)), density: Some(3), ..atoms(4) })
            }
            ("", _) => Err(self
                .problem(line, format!("{count} columns of atoms whose style is not said"))
                .help("write it after the heading: `Atoms # sphere`, or `Atoms # atomic`")),
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
    fn scaled_places_are_parts_of_the_box() {
        let head = HEAD.replace("0 1\n0 1\n0 1", "-2 2\n0 1e1\n5 6").replace("ff ff", "pp ff");
        let text = format!("{head}ITEM: ATOMS id xs ys zs vx c_1\n2 1 0 0.5 0 9\n1 0.25 1 0 3 9\n");
        let found = dump(&text).unwrap();
        assert_eq!(found.positions, [DVec3::new(-1.0, 10.0, 5.0), DVec3::new(2.0, 0.0, 5.5)]);
        assert_eq!(found.motions[0], [3.0 * DVec3::X, DVec3::ZERO]);
        assert_eq!(found.unread, ["c_1", "BOX BOUNDS pp ff ff (images)"]);
    }

    /// The corners of a slanted box, whose own bounds are those of the upright box around it.
    #[test]
    fn scaled_places_in_a_slanted_box() {
        let head = HEAD
            .replace("ff ff ff\n0 1\n0 1\n0 1", "xy xz yz pp pp pp\n-1 4 2\n0 6 -1\n0 2 1")
            .replace("\n2\n", "\n3\n");
        let text = format!("{head}ITEM: ATOMS id xs ys zs\n1 0 0 0\n2 1 1 0\n3 0 0 1\n");
        let found = dump(&text).unwrap().positions;
        // Along x from 0 to 3 less the lean: low = -1 - min(0, 2, -1, 1), high = 4 - max(...).
        assert_eq!(found[0], DVec3::ZERO);
        assert_eq!(found[1], DVec3::new(2.0 + 2.0, 5.0, 0.0));
        assert_eq!(found[2], DVec3::new(-1.0, 1.0, 2.0));
    }

    #[test]
    fn styles_that_are_not_said_are_told_by_the_columns() {
        let data = |row: &str| read("x.data".as_ref(), &format!("t\n\nAtoms\n\n{row}\n"), 3);
        assert_eq!(data("1 1 2.5 3 4").unwrap().positions, [DVec3::new(2.5, 3.0, 4.0)]);
        assert_eq!(data("1 1 2.5 3 4 0 -1 0").unwrap().positions, [DVec3::new(2.5, 3.0, 4.0)]);
        let ball = data("1 1 0.5 2.0 1 2 3 0 0 0").unwrap();
        assert_eq!((ball.radii, ball.positions), (vec![0.25], vec![DVec3::new(1.0, 2.0, 3.0)]));
        // A molecule with a charge, or a ball of diameter 1: nobody knows.
        for row in ["1 1 1 0.5 1 2 3", "1 1 1 0.5 1 2", "1 1 2 3 4 0.5 0 0"] {
            let problem = data(row).unwrap_err();
            assert!(problem.message.contains("style is not said"), "{problem}");
        }
    }

    #[test]
    fn velocities_of_data_files_are_by_number() {
        let text = "t\n\n2 atoms\n\nAtoms # atomic\n\n2 1 0 0 0\n1 1 3 3 3\n\nVelocities\n\n\
                    1 0 0 7 0 0 8\n2 1 2 3\n\nBonds\n\n1 1 1 2\n";
        let found = read("x.data".as_ref(), text, 3).unwrap();
        assert_eq!(found.motions[0], [7.0 * DVec3::Z, 8.0 * DVec3::Z]);
        assert_eq!(found.motions[1], [DVec3::new(1.0, 2.0, 3.0), DVec3::ZERO]);
        assert_eq!(found.unread, ["Bonds"]);
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
        let tilted = HEAD.replace("ff ff ff", "abc origin ff ff ff").replace("0 1", "0 1 0 0");
        let cases = [
            (dump(&format!("{HEAD}ITEM: ATOMS id type x y\n")), "no columns x, y, z"),
            (
                dump(&format!("{HEAD}ITEM: ATOMS id x y z\n1 2 3 4\n1 3 4 5\n")),
                "two atoms have the number 1",
            ),
            (
                dump(&format!("{HEAD}ITEM: ATOMS id x y z\n1 2 3 4\n2 3 4 5\n3 4 5 6\n")),
                "more lines of atoms",
            ),
            (
                dump(&format!("{HEAD}ITEM: ATOMS id x y z shapex\n1 2 3 4 1\n2 3 4 5 1\n")),
                "ellipsoids",
            ),
            (
                dump(&format!("{tilted}ITEM: ATOMS id xs ys zs\n1 0 0 0\n2 1 1 1\n")),
                "of any directions",
            ),
            (
                read("x.data".as_ref(), "t\n3 atoms\n\nAtoms # atomic\n\n1 2 0 0 0\n", 3),
                "says 3 atoms",
            ),
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
