//! Positions, and perhaps radii, masses and types, from .csv and .xyz files
//! and those of LAMMPS: what other programs write, and what `riprap export` writes. Of a file with
//! several frames, the last one counts.

use std::f64::consts::PI;
use std::ops::Range;
use std::path::Path;

use super::columns::{Columns, cells, has_content, separator};
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
    /// Velocity and spin; empty, or as many as positions.
    pub motions: Vec<[DVec3; 2]>,
    /// Who does not move; empty, or as many as positions.
    pub fixed: Vec<bool>,
    /// Their numbers, where the file has them: LAMMPS writes particles in any order.
    pub ids: Vec<u64>,
    /// What the file says besides, which nobody uses.
    pub unread: Vec<String>,
}

impl Particles {
    /// By their numbers, if they have any; the first number that two of them have, if any.
    pub fn sorted(mut self) -> std::result::Result<Particles, u64> {
        let mut order: Vec<usize> = (0..self.ids.len()).collect();
        order.sort_by_key(|&k| self.ids[k]);
        if let Some(pair) = order.windows(2).find(|pair| self.ids[pair[0]] == self.ids[pair[1]]) {
            return Err(self.ids[pair[0]]);
        }
        self.ids.clear();
        Ok(if order.is_empty() { self } else { self.only(&order) })
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
            motions: take(&self.motions, chosen),
            fixed: take(&self.fixed, chosen),
            ids: Vec::new(),
            unread: self.unread.clone(),
        }
    }
}

/// Reads the text of a file; its ending, or how it begins, says which format it has.
pub(super) fn read(path: &Path, text: &str, dimension: usize) -> Result<Particles> {
    let file = File { path, text, dimension, has_commas: false };
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    let particles = match ending.as_deref() {
        _ if text.starts_with("ITEM: ") => file.dump()?,
        Some("xyz" | "extxyz") => file.xyz()?,
        Some("dump" | "lammpstrj") => file.dump()?,
        Some("data" | "lmp") => file.data()?,
        _ => File { has_commas: has_commas(text), ..file }.csv()?,
    };
    if particles.positions.is_empty() {
        return Err(Problem::new("this file has no positions").in_file(path));
    }
    Ok(particles)
}

/// What a column is called without its unit, as in `Z (m)`, and the unit; the points of ParaView are
/// places.
fn name_and_unit(cell: &str) -> (String, &str) {
    let (name, unit) = match cell.split_once(['(', '[']) {
        Some((name, unit)) if !name.trim().is_empty() => (name, unit.trim_end_matches([')', ']'])),
        _ => (cell, ""),
    };
    let name = match name.trim().to_ascii_lowercase().as_str() {
        "points:0" | "points_0" => "x".into(),
        "points:1" | "points_1" => "y".into(),
        "points:2" | "points_2" => "z".into(),
        other => other.to_string(),
    };
    (name, unit.trim())
}

/// The components of a velocity of extended XYZ.
const VELOCITIES: [&str; 3] = ["vx", "vy", "vz"];

pub(super) struct File<'a> {
    pub path: &'a Path,
    pub text: &'a str,
    pub dimension: usize,
    /// Numbers have commas where others have points.
    pub has_commas: bool,
}

/// Whether the numbers of a table have commas, as where its cells are separated otherwise, none has a
/// point and no comma could be between thousands.
fn has_commas(text: &str) -> bool {
    let separator = separator(text);
    if separator == ',' {
        return false;
    }
    let cells = || text.lines().filter(|line| has_content(line)).flat_map(|l| cells(l, separator));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|c| c.is_ascii_digit());
    let decimals = |cell: &str| {
        let (_, after) = cell.split_once(',')?;
        let cell = cell.trim_start_matches(['-', '+']);
        let is_number = cell.replacen(',', ".", 1).parse::<f64>().is_ok();
        let places = after.split(['e', 'E']).next().unwrap_or_default().len();
        // Nobody writes 0 thousand.
        is_number.then_some(if cell.starts_with("0,") { 0 } else { places })
    };
    let has_points = |cell: &str| {
        cell.split_once('.').is_some_and(|(a, _)| {
            digits(a.trim_start_matches(['-', '+'])) && cell.parse::<f64>().is_ok()
        })
    };
    cells().any(|cell| decimals(cell).is_some_and(|count| count != 3)) && !cells().any(has_points)
}

impl<'a> File<'a> {
    fn csv(&self) -> Result<Particles> {
        let mut particles = Particles::default();
        let mut unread = Vec::new();
        let mut columns = None;
        let mut frame = None;
        let separator = separator(self.text);
        for line in self.text.lines().filter(|line| has_content(line)) {
            let cells = cells(line, separator);
            let Some(columns) = &columns else {
                let is_header = cells.iter().all(|cell| self.parsed(cell).is_none());
                columns = Some(if is_header {
                    let columns = self.columns_of_header(&cells)?;
                    unread = columns.unread(&cells);
                    columns
                } else {
                    let columns = self.columns_of_row(&cells)?;
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
        Ok(Particles { unread, ..particles })
    }

    fn columns_of_header(&self, cells: &[&str]) -> Result<Columns> {
        let names = if self.dimension == 3 { "x, y and z" } else { "x and y" };
        let bare: Vec<(String, &str)> = cells.iter().map(|cell| name_and_unit(cell)).collect();
        let plain: Vec<&str> = bare.iter().map(|(name, _)| name.as_str()).collect();
        let found = Columns::named(&plain).filter(|found| !found.is_scaled);
        if let Some(columns) = &found {
            let radius = columns.radius.map(|(column, _)| column);
            let lengths = [Some(columns.x), Some(columns.y), columns.z, radius];
            let units = lengths.into_iter().flatten().map(|k| bare[k].1);
            let units: Vec<&str> = units.filter(|unit| !unit.is_empty()).collect();
            if let Some(pair) = units.windows(2).find(|pair| pair[0] != pair[1]) {
                let message = format!("lengths are in {} and in {}", pair[0], pair[1]);
                return Err(self.foreign(message).help("give all of them in one unit"));
            }
        }
        match found.filter(|found| found.z.is_some() || self.dimension == 2) {
            Some(columns) => Ok(columns),
            None => Err(self.foreign(format!("its first line names no columns {names}")).help(
                "a first line with the names of columns, then a line for each body; cells are \
                 separated by commas, semicolons or tabs",
            )),
        }
    }

    /// Without a header: x, y, z (not in 2D), then perhaps radius, then perhaps mass.
    fn columns_of_row(&self, cells: &[&str]) -> Result<Columns> {
        let (count, axes) = (cells.len(), self.dimension);
        if !(axes..=axes + 2).contains(&count) {
            let message = format!("{count} columns without a header");
            let names = if axes == 2 { "x,y" } else { "x,y,z" };
            return Err(self.foreign(message).help(format!(
                "give a first line with their names, such as {names},radius; or {axes} columns, \
                 perhaps followed by radius and mass"
            )));
        }
        Ok(Columns {
            radius: (count > axes).then_some((axes, 1.0)),
            mass: (count > axes + 1).then_some(axes + 1),
            ..Columns::of_places(0, 1, (axes == 3).then_some(2), count)
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
                return Err(self.foreign(message));
            };
            let comment = lines.next().unwrap_or_default();
            particles = Particles::default();
            let mut columns = self.columns_of_comment(comment, &mut particles.unread)?;
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
    fn columns_of_comment(
        &self,
        comment: &str,
        unread: &mut Vec<String>,
    ) -> Result<Option<Columns>> {
        let key = "Properties=";
        let Some(start) = comment.find(key) else { return Ok(None) };
        let list = &comment[start + key.len()..];
        let list = list.trim_start_matches('"').split(['"', ' ', '\t']).next().unwrap_or_default();
        let parts: Vec<&str> = list.split(':').collect();
        let mut names = Vec::new();
        for property in parts.chunks(3) {
            let [name, _, width] = property else {
                return Err(self.problem(list, "Properties come in threes: name:type:columns"));
            };
            let Some(width) = width.parse::<usize>().ok().filter(|width| *width < 1000) else {
                return Err(self.problem(width, "expected a number of columns"));
            };
            match (name.to_ascii_lowercase().as_str(), width) {
                ("pos", 3) => names.extend(["x", "y", "z"]),
                ("velo" | "vel" | "velocity" | "velocities", 3) => names.extend(VELOCITIES),
                _ => names.extend(std::iter::repeat_n(*name, width)),
            }
        }
        let Some(columns) = Columns::named(&names).filter(|found| found.z == Some(found.x + 2))
        else {
            return Err(self.problem(list, "Properties name no pos:R:3"));
        };
        *unread = columns.unread(&names);
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
        Ok(Columns { radius, kind: Some(0), ..Columns::of_places(1, 2, Some(3), count) })
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
        self.add_motion(cells, columns, to)?;
        to.kinds.extend(columns.kind.map(|column| cells[column].to_string()));
        if let Some(column) = columns.id {
            let Ok(id) = cells[column].parse() else {
                return Err(self.problem(cells[column], "expected the number of a particle"));
            };
            to.ids.push(id);
        }
        Ok(())
    }

    /// How it moves at first, and whether it does at all.
    fn add_motion(&self, cells: &[&str], columns: &Columns, to: &mut Particles) -> Result<()> {
        if let Some(column) = columns.fixed {
            to.fixed.push(match cells[column] {
                "0" | "false" => false,
                "1" | "true" => true,
                _ => return Err(self.problem(cells[column], "`fixed` is 0 or 1")),
            });
        }
        if columns.velocity.iter().chain(&columns.spin).all(Option::is_none) {
            return Ok(());
        }
        let vector = |own: [Option<usize>; 3], what: &str, flat: [bool; 3]| {
            let mut vector = DVec3::ZERO;
            for (axis, column) in own.into_iter().enumerate() {
                let Some(column) = column else { continue };
                vector[axis] = self.number(cells[column], what)?;
                if self.dimension == 2 && !flat[axis] && vector[axis] != 0.0 {
                    return Err(self.problem(cells[column], format!("{what} leaves the plane")));
                }
            }
            Ok(vector)
        };
        let velocity = vector(columns.velocity, "the velocity", [true, true, false])?;
        let spin = vector(columns.spin, "the spin", [false, false, true])?;
        to.motions.push([velocity, spin]);
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

    fn parsed(&self, cell: &str) -> Option<f64> {
        match self.has_commas && !cell.contains('.') {
            true => cell.replacen(',', ".", 1).parse().ok(),
            false => cell.parse().ok(),
        }
    }

    pub fn number(&self, cell: &str, what: &str) -> Result<f64> {
        match self.parsed(cell) {
            Some(number) if number.abs() > MOST_NUMBER && number.is_finite() => {
                Err(self.problem(cell, format!("{what} is {number:e}, beyond {MOST_NUMBER:e}")))
            }
            Some(number) if number.is_finite() => Ok(number),
            _ => {
                let message = format!("{what} must be a finite number, found `{cell}`");
                Err(match cell.replacen(',', ".", 1).parse::<f64>() {
                    Ok(_) if cell.contains(',') => self
                        .problem(cell, message)
                        .help("is it a thousand or a fraction? give numbers points, not commas"),
                    _ => self.problem(cell, message),
                })
            }
        }
    }

    /// A problem with a file that may be anything, of which nothing is shown.
    pub fn foreign(&self, message: impl Into<String>) -> Problem {
        Problem::new(message).in_file(self.path)
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

    /// As spreadsheets and ParaView have it; what could be a thousand is asked about.
    #[test]
    fn commas_units_and_points_of_others() {
        let csv = |text: &str| read("x.csv".as_ref(), text, 3);
        let commas = csv("x;y;z;radius\n1,5;2;-3,25e1;0,500\n").unwrap();
        assert_eq!(
            (commas.positions, commas.radii),
            (vec![DVec3::new(1.5, 2.0, -32.5)], vec![0.5])
        );
        assert_eq!(csv("1,5\t2\t3\n").unwrap().positions, [DVec3::new(1.5, 2.0, 3.0)]);
        for text in ["x;y;z\n1,234;2;3\n", "x;y;z\n1,25;2.5;3\n"] {
            let problem = csv(text).unwrap_err();
            assert!(problem.help.unwrap().contains("a thousand or a fraction"), "{text}");
        }
        let paraview = csv("\"Points:0\",\"Points:1\",\"Points:2\",\"radius\"\n1,2,3,4\n").unwrap();
        assert_eq!(
            (paraview.positions, paraview.radii),
            (vec![DVec3::new(1.0, 2.0, 3.0)], vec![4.0])
        );
        let units = csv("X (m),Y (m),Z (m),Radius [m],Mass (kg)\n1,2,3,4,5\n").unwrap();
        assert_eq!((units.radii, units.masses, units.unread.len()), (vec![4.0], vec![5.0], 0));
        let mixed = csv("x (m),y (m),z (m),radius (mm)\n1,2,3,4\n").unwrap_err();
        assert_eq!(mixed.message, "lengths are in m and in mm");
    }

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
    fn csv_as_others_write_it() {
        let quoted = csv("\"X\";\"Y\";\"Z\";\"diameter\";\"density\"\n1;2;3;1;6\n-4.5;0;1e3;2;3\n");
        let found = quoted.unwrap();
        assert_eq!((found.positions, found.radii), (TWO.to_vec(), vec![0.5, 1.0]));
        assert_eq!(found.masses, [PI, 4.0 * PI]);
        let moving = csv("x,y,z,vx,wz,fixed,colour\n1,2,3,5,6,0,red\n-4.5,0,1e3,0,0,1,\n").unwrap();
        assert_eq!(moving.motions[0], [5.0 * DVec3::X, 6.0 * DVec3::Z]);
        assert_eq!((moving.fixed, moving.unread), (vec![false, true], vec!["colour".to_string()]));
        let problem = csv("x;y;z\n7,500;1;2\n").unwrap_err();
        assert_eq!(
            problem.help.as_deref(),
            Some("is it a thousand or a fraction? give numbers points, not commas")
        );
    }

    #[test]
    fn what_is_no_file_of_particles_is_not_shown() {
        for found in [csv("root:x:0:0:root\n"), csv("1 2\n"), xyz("secret\n")] {
            assert_eq!(line_of(&found.unwrap_err()), None);
        }
    }

    #[test]
    fn flat_particles_stay_in_the_plane() {
        let flat = |text| read("start.csv".as_ref(), text, 2);
        let found = flat("x,y,vx,vy,wz\n0,0,1,2,3\n").unwrap();
        assert_eq!(found.motions, [[DVec3::new(1.0, 2.0, 0.0), 3.0 * DVec3::Z]]);
        assert_eq!(flat("x,y,vz\n0,0,1\n").unwrap_err().message, "the velocity leaves the plane");
        assert_eq!(flat("x,y,wx\n0,0,1\n").unwrap_err().message, "the spin leaves the plane");
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
        assert_eq!(extended.unread, ["id"]);
        let text = "1\nProperties=species:S:1:pos:R:3:radii:R:1:velo:R:3\nA 1 2 3 0.5 4 5 6\n";
        let others = xyz(text).unwrap();
        assert_eq!((others.radii, others.kinds), (vec![0.5], vec!["A".to_string()]));
        assert_eq!(others.motions, [[DVec3::new(4.0, 5.0, 6.0), DVec3::ZERO]]);
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
            (csv("x,y\n1,2\n"), None, "its first line names no columns x, y and z"),
            (csv("a,b,c\n"), None, "its first line names no columns x, y and z"),
            (csv("1,2\n"), None, "2 columns without a header"),
            (csv("1,2,3\n1,2\n"), Some(2), "expected 3 columns, found 2"),
            (csv("1,2,3\n\n1,two,3\n"), Some(3), "y must be a finite number, found `two`"),
            (csv("1,2,nan\n"), Some(1), "z must be a finite number, found `nan`"),
            (csv("1,2,3,0\n"), Some(1), "the radius must be a positive number, found 0"),
            (csv("1,2,3,1,-2\n"), Some(1), "the mass must be a positive number, found -2"),
            (xyz("two\n\n"), None, "expected the number of particles of this frame"),
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
