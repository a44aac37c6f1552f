//! numpy's archive of arrays: `numpy.load("run.npz")["positions"]`.

use std::io;

use super::drafts::{Out, cannot_write};
use super::zip::Zip;
use crate::math::{DQuat, DVec3};
use crate::problem::{Problem, Result};
use crate::trajectory::{Contact, Frame, Reader, shapes_text};
use crate::world::{Model, Motion, State};

/// Writes the arrays of a run: what never changes, what each frame says, and
/// the contacts of those frames at which forces are known.
pub(super) fn write(reader: &Reader, frames: &[usize], out: &mut Out) -> Result<()> {
    let mut archive = Archive(Zip::new(out));
    archive.frames(reader, frames)?;
    archive.model(reader.model()).map_err(cannot_write)?;
    archive.contacts(reader, frames)?;
    archive.0.finish().map_err(cannot_write)
}

/// What a contact is in one of the arrays.
type ContactBytes = fn(&Contact) -> Vec<u8>;

struct Archive<'a>(Zip<&'a mut Out>);

impl Archive<'_> {
    /// States are written as they are decoded: a long run need not fit into the memory. Turns
    /// and velocities are there where the method has them, turns as w, x, y, z.
    fn frames(&mut self, reader: &Reader, frames: &[usize]) -> Result<()> {
        let bodies = reader.model().bodies.len();
        let positions = |state: &State| vector_bytes(&state.positions);
        self.states("positions", [frames.len(), bodies, 3], reader, frames, positions)?;
        let first = frames.first().map(|&index| reader.frame(index)).transpose()?;
        let turned = |frame: &Frame| frame.state.rotations.iter().any(|q| *q != DQuat::IDENTITY);
        let moving = reader.moving_model().method.time().is_some();
        if moving || first.is_some_and(|frame| turned(&frame)) {
            let turns = |state: &State| {
                let parts = state.rotations.iter().flat_map(|q| [q.w, q.x, q.y, q.z]);
                parts.flat_map(f64::to_le_bytes).collect()
            };
            self.states("rotations", [frames.len(), bodies, 4], reader, frames, turns)?;
        }
        if moving {
            let shape = [frames.len(), bodies, 3];
            self.states("velocities", shape, reader, frames, |s| vector_bytes(&s.velocities))?;
            self.states("spins", shape, reader, frames, |s| vector_bytes(&s.spins))?;
        }
        if reader.phases().iter().any(|phase| (0..bodies).any(|i| phase.model.is_gone(i))) {
            let here = frames.iter().flat_map(|&index| {
                (0..bodies).map(move |i| u8::from(!reader.model_at(index).is_gone(i)))
            });
            self.array("present", "|b1", &[frames.len(), bodies], here).map_err(cannot_write)?;
        }
        let (mut step, mut energy, mut hash) = (Vec::new(), Vec::new(), Vec::new());
        for &index in frames {
            let frame = reader.frame(index)?;
            step.push(frame.step);
            energy.push(frame.energy);
            hash.push(reader.stored_hash(index));
        }
        let times: Option<Vec<f64>> = frames.iter().map(|&index| reader.time_at(index)).collect();
        if let Some(times) = times {
            let bytes = times.iter().flat_map(|v| v.to_le_bytes());
            self.array("time", "<f8", &[times.len()], bytes).map_err(cannot_write)?;
        }
        let count = [step.len()];
        self.array("step", "<u8", &count, step.iter().flat_map(|v| v.to_le_bytes()))
            .and_then(|()| {
                self.array("energy", "<f8", &count, energy.iter().flat_map(|v| v.to_le_bytes()))
            })
            .and_then(|()| {
                self.array("hash", "<u8", &count, hash.iter().flat_map(|v| v.to_le_bytes()))
            })
            .map_err(cannot_write)
    }

    fn states(
        &mut self,
        name: &str,
        shape: [usize; 3],
        reader: &Reader,
        frames: &[usize],
        bytes: impl Fn(&State) -> Vec<u8>,
    ) -> Result<()> {
        let each = frames.iter().map(|&index| Ok(bytes(&reader.frame(index)?.state)));
        self.blocks(name, "<f8", &shape, each)
    }

    /// An array that is written block by block, as it is made.
    fn blocks(
        &mut self,
        name: &str,
        kind: &str,
        shape: &[usize],
        blocks: impl Iterator<Item = Result<Vec<u8>>>,
    ) -> Result<()> {
        let written: std::result::Result<(), Trouble> =
            self.0.entry(&format!("{name}.npy"), |put| {
                put(&header(kind, shape))?;
                for block in blocks {
                    put(&block?)?;
                }
                Ok(())
            });
        written.map_err(|Trouble(problem)| problem)
    }

    /// `radius` is that of the sphere about the centre of mass that holds the body, whatever its
    /// shape; `shape` counts in `shapes`, a single text: the JSON list that FORMAT.md describes.
    fn model(&mut self, model: &Model) -> io::Result<()> {
        let bodies = &model.bodies;
        let count = [bodies.len()];
        self.names("shapes", &[shapes_text(&model.shapes)])?;
        self.array("radius", "<f8", &count, bodies.iter().flat_map(|b| b.radius.to_le_bytes()))?;
        self.array("mass", "<f8", &count, bodies.iter().flat_map(|b| b.mass.to_le_bytes()))?;
        self.array("group", "<u4", &count, bodies.iter().flat_map(|b| b.group.to_le_bytes()))?;
        self.array("shape", "<u4", &count, bodies.iter().flat_map(|b| b.shape.to_le_bytes()))?;
        let free = bodies.iter().map(|body| u8::from(body.motion == Motion::Free));
        self.array("free", "|b1", &count, free)?;
        self.names("group_names", &model.groups)?;
        self.array("gravity", "<f8", &[3], vector_bytes(&[model.gravity]))?;
        let faces = model.boundary.faces();
        let corners = faces.first().map_or(3, |face| face.corners.len());
        let boundary = faces.iter().flat_map(|face| vector_bytes(&face.corners));
        self.array("boundary", "<f8", &[faces.len(), corners, 3], boundary)
    }

    /// `contacts_frame` is the row of a contact's frame in `positions`, and what `contacts_with`
    /// counts, `contacts_kind` says: 0 bodies, 1 faces of the container, 2 joints. Forces are
    /// forces; where the run has impulses of a time step, their mean over the step.
    fn contacts(&mut self, reader: &Reader, frames: &[usize]) -> Result<()> {
        let mut counts = Vec::with_capacity(frames.len());
        for &index in frames {
            counts.push(reader.forces_at(index)?.map_or(0, |contacts| contacts.len()));
        }
        let count: usize = counts.iter().sum();
        let rows = (0_u32..).zip(&counts);
        let rows = rows.map(|(row, count)| Ok(row.to_le_bytes().repeat(*count)));
        self.blocks("contacts_frame", "<u4", &[count], rows)?;
        let mut column = |name: &str, kind: &str, parts: &[usize], of: ContactBytes| {
            let shape = [&[count], parts].concat();
            let each = frames.iter().map(|&index| {
                let contacts = reader.forces_at(index)?.unwrap_or_default();
                Ok(contacts.iter().flat_map(of).collect())
            });
            self.blocks(name, kind, &shape, each)
        };
        column("contacts_body", "<u4", &[], |c| c.body.to_le_bytes().to_vec())?;
        column("contacts_kind", "|u1", &[], |c| vec![c.with.parts().0])?;
        column("contacts_with", "<u4", &[], |c| c.with.parts().1.to_le_bytes().to_vec())?;
        column("contacts_at", "<f8", &[3], |c| vector_bytes(&c.at[..1]))?;
        column("contacts_normal", "<f8", &[3], |c| vector_bytes(&[c.normal]))?;
        column("contacts_force", "<f8", &[3], |c| vector_bytes(&[c.force]))
    }

    /// An array of texts, all as long as the longest of them.
    fn names(&mut self, name: &str, texts: &[String]) -> io::Result<()> {
        let length = texts.iter().map(|text| text.chars().count()).max().unwrap_or(0).max(1);
        let padded = |text: &String| -> Vec<u8> {
            let letters = text.chars().map(u32::from).chain(std::iter::repeat(0)).take(length);
            letters.flat_map(u32::to_le_bytes).collect()
        };
        self.array(name, &format!("<U{length}"), &[texts.len()], texts.iter().flat_map(padded))
    }

    fn array(
        &mut self,
        name: &str,
        kind: &str,
        shape: &[usize],
        bytes: impl IntoIterator<Item = u8>,
    ) -> io::Result<()> {
        let bytes: Vec<u8> = bytes.into_iter().collect();
        self.0.entry(&format!("{name}.npy"), |put| {
            put(&header(kind, shape))?;
            put(&bytes)
        })
    }
}

/// Either side of an export may fail: the run that is read or the file that is written.
struct Trouble(Problem);

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Trouble {
        Trouble(cannot_write(error))
    }
}

impl From<Problem> for Trouble {
    fn from(problem: Problem) -> Trouble {
        Trouble(problem)
    }
}

/// What stands before the numbers of an array, filled up to a multiple of 64 bytes.
fn header(kind: &str, shape: &[usize]) -> Vec<u8> {
    let sizes: String = shape.iter().map(|size| format!("{size}, ")).collect();
    let text =
        format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({}), }}", sizes.trim_end());
    let start = b"\x93NUMPY\x01\x00";
    let length = (start.len() + 2 + text.len() + 1).next_multiple_of(64) - start.len() - 2;
    let mut bytes = start.to_vec();
    bytes.extend((length as u16).to_le_bytes());
    bytes.extend(format!("{text:width$}\n", width = length - 1).as_bytes());
    bytes
}

fn vector_bytes(vectors: &[DVec3]) -> Vec<u8> {
    vectors.iter().flat_map(|v| v.to_array()).flat_map(f64::to_le_bytes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_as_numpy_wants_them() {
        for shape in [&[5][..], &[700, 1000, 3], &[0, 3]] {
            let bytes = header("<f8", shape);
            assert_eq!(bytes.len() % 64, 0);
            assert_eq!(u16::from_le_bytes([bytes[8], bytes[9]]) as usize, bytes.len() - 10);
            assert_eq!(bytes.last(), Some(&b'\n'));
        }
        let text = String::from_utf8(header("|b1", &[5])[10..].to_vec()).unwrap();
        assert_eq!(text.trim_end(), "{'descr': '|b1', 'fortran_order': False, 'shape': (5,), }");
    }
}
