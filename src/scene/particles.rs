//! Positions, and perhaps radii, masses and types, from .csv and .xyz files
//! and those of LAMMPS: what other programs write, and what `riprap export` writes. Of a file with
//! several frames, the last one counts.

use std::f64::consts::PI;
use std::ops::Range;
use std::path::Path;

use crate::math::{DVec3, LEAST_NUMBER, MOST_NUMBER};
use crate::problem::{Problem, Result};

/// What a particle file says.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Particles {
    pub positions: Vec<DVec3>,
    /// Empty, or as many as positions.
    pub radii: Vec<f64>,
    /// Empty, or as many as positions.
    pub masses: Vec<f64>,
    /// The types, or groups, of the particles; empty, or as many as positions.
    pub kinds: Vec<String>,
    /// Their numbers, where the file has them: LAMMPS writes particles in any order.
    ids: Vec<u64>,
}

impl Particles {
    /// By their numbers, if they have any.
    pub fn sorted(mut self) -> Particles {
        let mut order: Vec<usize> = (0..self.ids.len()).collect();
        order.sort_by_key(|&k| self.ids[k]);
        self.ids.clear();
        if order.is_empty() { self } else { self.only(&order) }
    }

    /// Those of one type.
    pub fn of_kind(self, kind: &str) -> Particles {
        let own: Vec<usize> = (0..self.kinds.len()).filter(|&k| self.kinds[k] == kind).collect();
        self.only(&own)
    }

    fn only(&self, chosen: &[usize]) -> Particles {
        fn take<T: Clone>(list: &[T], chosen: &[usize]) -> Vec<T> {
            if list.is_empty() {
                Vec::new()
            } else {
                chosen.iter().map(|&k| list[k].clone()).collect()
            }
        }
        Particles {
            positions: take(&self.positions, chosen),
            radii: take(&self.radii, chosen),
            masses: take(&self.masses, chosen),
            kinds: take(&self.kinds, chosen),
            ids: Vec::new(),
        }
    }
}

/// Reads the text of a file; its ending, or how it begins, says which format it has.
pub(super) fn read(path: &Path, text: &str, dimension: usize) -> Result<Particles> {
    let file = File { path, text, dimension };
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    let particles = match ending.as_deref() {
        _ if text.starts_with("ITEM: ") => file.dump()?,
        Some("xyz" | "extxyz") => file.xyz()?,
        Some("dump" | "lammpstrj") => file.dump()?,
        Some("data" | "lmp") => file.data()?,
        _ => file.csv()?,
    };
    if particles.positions.is_empty() {
        return Err(Problem::new("this file has no positions").in_file(path));
    }
    Ok(particles)
}

/// Which column says what.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Columns {
    pub x: usize,
    pub y: usize,
    pub z: Option<usize>,
    /// And what to multiply it by: it may be a diameter.
    pub radius: Option<(usize, f64)>,
    pub mass: Option<usize>,
    /// Of the ball; instead of the mass.
    pub density: Option<usize>,
    pub id: Option<usize>,
    pub kind: Option<usize>,
    pub frame: Option<usize>,
    /// How many there are in all.
    pub count: usize,
}

impl Columns {
    /// Of these alone.
    pub fn new(x: usize, y: usize, count: usize) -> Columns {
        Columns {
            x,
            y,
            z: None,
            radius: None,
            mass: None,
            density: None,
            id: None,
            kind: None,
            frame: None,
            count,
        }
    }
}

pub(super) struct File<'a> {
    pub path: &'a Path,
    pub text: &'a str,
    pub dimension: usize,
}

impl<'a> File<'a> {
    fn csv(&self) -> Result<Particles> {
        let mut particles = Particles::default();
        let mut columns = None;
        let mut frame = None;
        for line in self.text.lines().filter(|line| has_content(line)) {
            let cells: Vec<&str> = line.split(',').map(str::trim).collect();
            let Some(columns) = &columns else {
                let is_header = cells.iter().all(|cell| cell.parse::<f64>().is_err());
                columns = Some(if is_header {
                    self.columns_of_header(&cells, line)?
                } else {
                    let columns = self.columns_of_row(&cells, line)?;
                    self.add(&cells, line, &columns, &mut particles)?;
                    columns
                });
                continue;
            };
            if let Some(&cell) = columns.frame.and_then(|column| cells.get(column)) {
                if frame.is_some_and(|last| last != cell) {
                    particles = Particles::default();
                }
                frame = Some(cell);
            }
            self.add(&cells, line, columns, &mut particles)?;
        }
        Ok(particles)
    }

    fn columns_of_header(&self, cells: &[&str], line: &str) -> Result<Columns> {
        let find = |name: &str| cells.iter().position(|cell| cell.eq_ignore_ascii_case(name));
        let (Some(x), Some(y), z) = (find("x"), find("y"), find("z")) else {
            return Err(self.problem(line, "the header names no columns x and y"));
        };
        if z.is_none() && self.dimension == 3 {
            return Err(self.problem(line, "the header names no column z"));
        }
        Ok(Columns {
            z,
            radius: find("radius").map(|column| (column, 1.0)),
            mass: find("mass"),
            kind: find("type").or_else(|| find("group")),
            frame: find("frame"),
            ..Columns::new(x, y, cells.len())
        })
    }

    /// Without a header: x, y, z (not in 2D), then perhaps radius, then perhaps mass.
    fn columns_of_row(&self, cells: &[&str], line: &str) -> Result<Columns> {
        let (count, axes) = (cells.len(), self.dimension);
        if !(axes..=axes + 2).contains(&count) {
            let message = format!("{count} columns without a header");
            let names = if axes == 2 { "x,y" } else { "x,y,z" };
            return Err(self.problem(line, message).help(format!(
                "give a first line with their names, such as {names},radius; or {axes} columns, \
                 perhaps followed by radius and mass"
            )));
        }
        Ok(Columns {
            z: (axes == 3).then_some(2),
            radius: (count > axes).then_some((axes, 1.0)),
            mass: (count > axes + 1).then_some(axes + 1),
            ..Columns::new(0, 1, count)
        })
    }

    fn xyz(&self) -> Result<Particles> {
        let mut particles = Particles::default();
        let mut lines = self.text.lines();
        while let Some(first) = lines.next() {
            if first.trim().is_empty() {
                continue;
            }
            let Ok(count) = first.trim().parse::<usize>() else {
                let message = "expected the number of particles of this frame";
                return Err(self.problem(first, message));
            };
            let comment = lines.next().unwrap_or_default();
            let mut columns = self.columns_of_comment(comment)?;
            particles = Particles::default();
            for found in 0..count {
                let Some(line) = lines.next() else {
                    let message = format!("the file ends after {found} of {count} particles");
                    return Err(self.problem(first, message));
                };
                let cells: Vec<&str> = line.split_ascii_whitespace().collect();
                let columns = match &mut columns {
                    Some(columns) => columns,
                    None => columns.insert(self.columns_of_plain_xyz(&cells, line)?),
                };
                self.add(&cells, line, columns, &mut particles)?;
            }
        }
        Ok(particles)
    }

    /// Extended XYZ: `Properties=species:S:1:pos:R:3:radius:R:1`.
    fn columns_of_comment(&self, comment: &str) -> Result<Option<Columns>> {
        let key = "Properties=";
        let Some(start) = comment.find(key) else { return Ok(None) };
        let list = &comment[start + key.len()..];
        let list = list.trim_start_matches('"').split(['"', ' ', '\t']).next().unwrap_or_default();
        let parts: Vec<&str> = list.split(':').collect();
        let (mut count, mut position) = (0_usize, None);
        let (mut radius, mut mass, mut kind) = (None, None, None);
        for property in parts.chunks(3) {
            let [name, _, width] = property else {
                return Err(self.problem(list, "Properties come in threes: name:type:columns"));
            };
            let Some(width) = width.parse::<usize>().ok().filter(|width| *width < 1000) else {
                return Err(self.problem(width, "expected a number of columns"));
            };
            match (name.to_ascii_lowercase().as_str(), width) {
                ("pos", 3) => position = Some(count),
                ("radius", 1) => radius = Some((count, 1.0)),
                ("type" | "species", 1) => kind = Some(count),
                ("mass" | "masses", 1) => mass = Some(count),
                _ => {}
            }
            count += width;
        }
        let Some(x) = position else {
            return Err(self.problem(list, "Properties name no pos:R:3"));
        };
        let columns =
            Columns { z: Some(x + 2), radius, mass, kind, ..Columns::new(x, x + 1, count) };
        Ok(Some(columns))
    }

    fn columns_of_plain_xyz(&self, cells: &[&str], line: &str) -> Result<Columns> {
        let count = cells.len();
        if count != 4 && count != 5 {
            let message =
                format!("expected an element, x, y, z and perhaps a radius, found {count} columns");
            let help =
                "what more columns mean is said by Properties=... on the frame's second line";
            return Err(self.problem(line, message).help(help));
        }
        let radius = (count == 5).then_some((4, 1.0));
        Ok(Columns { z: Some(3), radius, kind: Some(0), ..Columns::new(1, 2, count) })
    }

    /// Appends what one line says.
    pub fn add(
        &self,
        cells: &[&str],
        line: &str,
        columns: &Columns,
        to: &mut Particles,
    ) -> Result<()> {
        if cells.len() != columns.count {
            let message = format!("expected {} columns, found {}", columns.count, cells.len());
            return Err(self.problem(line, message));
        }
        let z = columns.z.map_or(Ok(0.0), |column| self.number(cells[column], "z"))?;
        if self.dimension == 2 && z != 0.0 {
            let message = format!("z is {z:?}, but the scene is 2D");
            return Err(self.problem(cells[columns.z.unwrap_or(0)], message));
        }
        let (x, y) = (self.number(cells[columns.x], "x")?, self.number(cells[columns.y], "y")?);
        to.positions.push(DVec3::new(x, y, z));
        if let Some((column, factor)) = columns.radius {
            to.radii.push(factor * self.positive(cells[column], "radius")?);
        }
        if let Some(column) = columns.mass {
            to.masses.push(self.positive(cells[column], "mass")?);
        } else if let (Some(column), Some(radius)) = (columns.density, to.radii.last()) {
            let volume = 4.0 / 3.0 * PI * radius.powi(3);
            to.masses.push(volume * self.positive(cells[column], "density")?);
        }
        to.kinds.extend(columns.kind.map(|column| cells[column].to_string()));
        if let Some(column) = columns.id {
            let Ok(id) = cells[column].parse() else {
                return Err(self.problem(cells[column], "expected the number of a particle"));
            };
            to.ids.push(id);
        }
        Ok(())
    }

    pub fn positive(&self, cell: &str, what: &str) -> Result<f64> {
        let number = self.number(cell, what)?;
        if number >= LEAST_NUMBER {
            return Ok(number);
        }
        if number > 0.0 {
            let message = format!("the {what} is {number:e}, less than {LEAST_NUMBER:e}");
            return Err(self.problem(cell, message));
        }
        Err(self.problem(cell, format!("the {what} must be a positive number, found {cell}")))
    }

    fn number(&self, cell: &str, what: &str) -> Result<f64> {
        match cell.parse::<f64>() {
            Ok(number) if number.abs() > MOST_NUMBER && number.is_finite() => {
                Err(self.problem(cell, format!("{what} is {number:e}, beyond {MOST_NUMBER:e}")))
            }
            Ok(number) if number.is_finite() => Ok(number),
            _ => Err(self.problem(cell, format!("{what} must be a finite number, found `{cell}`"))),
        }
    }

    /// A problem at a part of the text.
    pub fn problem(&self, part: &str, message: impl Into<String>) -> Problem {
        Problem::new(message).at(self.path, self.text, self.span(part))
    }

    /// Where a part of the text lies in it.
    fn span(&self, part: &str) -> Range<usize> {
        let start = (part.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        start..start + part.len()
    }
}

/// Empty lines and lines that begin with # say nothing.
fn has_content(line: &str) -> bool {
    let line = line.trim_start();
    !line.is_empty() && !line.starts_with('#')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn csv(text: &str) -> Result<Particles> {
        read("start.csv".as_ref(), text, 3)
    }

    fn xyz(text: &str) -> Result<Particles> {
        read("start.xyz".as_ref(), text, 3)
    }

    fn line_of(problem: &Problem) -> Option<usize> {
        Some(problem.place.as_ref()?.line.as_ref()?.number)
    }

    const TWO: [DVec3; 2] = [DVec3::new(1.0, 2.0, 3.0), DVec3::new(-4.5, 0.0, 1e3)];

    #[test]
    fn csv_with_and_without_header() {
        let bare = csv("# made by hand\n1,2,3\n-4.5, 0 ,1e3\r\n\n").unwrap();
        assert_eq!(bare.positions, TWO);
        assert!(bare.radii.is_empty() && bare.masses.is_empty());
        let full = csv("1,2,3,0.5,7\n-4.5,0,1e3,0.25,8").unwrap();
        assert_eq!((full.radii, full.masses), (vec![0.5, 0.25], vec![7.0, 8.0]));
        let named = csv("id,Radius,z,y,x\n9,0.5,3,2,1\n8,0.25,1e3,0,-4.5\n").unwrap();
        assert_eq!((named.positions, named.radii), (TWO.to_vec(), vec![0.5, 0.25]));
    }

    #[test]
    fn of_several_frames_the_last_counts() {
        let found = csv("frame,x,y,z\n0,9,9,9\n0,8,8,8\n1,1,2,3\n1,-4.5,0,1e3\n").unwrap();
        assert_eq!(found.positions, TWO);
        let found = xyz("1\n\nX 9 9 9\n2\n\nX 1 2 3\nX -4.5 0 1e3\n").unwrap();
        assert_eq!(found.positions, TWO);
    }

    #[test]
    fn xyz_plain_and_extended() {
        let plain = xyz("2\nspheres\nX 1 2 3 0.5\nX -4.5 0 1e3 0.25\n").unwrap();
        assert_eq!((plain.positions, plain.radii), (TWO.to_vec(), vec![0.5, 0.25]));
        let text = "2\nLattice=\"1 0 0\" Properties=id:I:1:radius:R:1:pos:R:3:mass:R:1 t=1\n\
                    1 0.5 1 2 3 7\n2 0.25 -4.5 0 1e3 8\n";
        let extended = xyz(text).unwrap();
        assert_eq!(extended.positions, TWO);
        assert_eq!((extended.radii, extended.masses), (vec![0.5, 0.25], vec![7.0, 8.0]));
    }

    #[test]
    fn flat_files_have_no_z_or_a_z_of_0() {
        let flat = |text| read("start.csv".as_ref(), text, 2);
        assert_eq!(flat("1,2,0.5\n").unwrap().radii, [0.5]);
        assert_eq!(flat("x,y,z\n1,2,0\n").unwrap().positions, [DVec3::new(1.0, 2.0, 0.0)]);
        let problem = flat("x,y,z\n1,2,3\n").unwrap_err();
        assert_eq!(problem.message, "z is 3.0, but the scene is 2D");
        assert_eq!(line_of(&problem), Some(2));
    }

    #[test]
    fn every_fault_names_its_line() {
        let cases = [
            (csv(""), None, "this file has no positions"),
            (csv("x,y\n1,2\n"), Some(1), "the header names no column z"),
            (csv("a,b,c\n"), Some(1), "the header names no columns x and y"),
            (csv("1,2\n"), Some(1), "2 columns without a header"),
            (csv("1,2,3\n1,2\n"), Some(2), "expected 3 columns, found 2"),
            (csv("1,2,3\n\n1,two,3\n"), Some(3), "y must be a finite number, found `two`"),
            (csv("1,2,nan\n"), Some(1), "z must be a finite number, found `nan`"),
            (csv("1,2,3,0\n"), Some(1), "the radius must be a positive number, found 0"),
            (csv("1,2,3,1,-2\n"), Some(1), "the mass must be a positive number, found -2"),
            (xyz("two\n\n"), Some(1), "expected the number of particles of this frame"),
            (xyz("2\n\nX 1 2 3\n"), Some(1), "the file ends after 1 of 2 particles"),
            (
                xyz("1\n\nX 1 2\n"),
                Some(3),
                "expected an element, x, y, z and perhaps a radius, found 3 columns",
            ),
            (
                xyz("1\nProperties=pos:R\n1 2 3\n"),
                Some(2),
                "Properties come in threes: name:type:columns",
            ),
            (xyz("1\nProperties=pos:R:x\n1 2 3\n"), Some(2), "expected a number of columns"),
            (xyz("1\nProperties=id:I:1\n1\n"), Some(2), "Properties name no pos:R:3"),
            (xyz("1\nProperties=pos:R:3\n1 2\n"), Some(3), "expected 3 columns, found 2"),
        ];
        for (found, line, message) in cases {
            let problem = found.unwrap_err();
            assert_eq!(problem.message, message);
            assert_eq!(line_of(&problem), line, "{message}");
        }
    }
}
