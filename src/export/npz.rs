//! numpy's archive of arrays: `numpy.load("run.npz")["positions"]`.

use std::io;

use super::drafts::{Out, cannot_write};
use super::zip::Zip;
use crate::math::DVec3;
use crate::problem::{Problem, Result};
use crate::trajectory::{Contact, Reader};
use crate::world::Model;

/// Writes the arrays of a run: what never changes, what each frame says, and
/// the contacts of the ending.
pub(super) fn write(reader: &Reader, frames: &[usize], out: &mut Out) -> Result<()> {
    let mut archive = Archive(Zip::new(out));
    archive.frames(reader, frames)?;
    archive.model(reader.model()).map_err(cannot_write)?;
    archive
        .contacts(reader.ending().map_or(&[], |ending| &ending.contacts))
        .map_err(cannot_write)?;
    archive.0.finish().map_err(cannot_write)
}

struct Archive<'a>(Zip<&'a mut Out>);

impl Archive<'_> {
    /// Positions are written as they are decoded: a long run need not fit into the memory.
    fn frames(&mut self, reader: &Reader, frames: &[usize]) -> Result<()> {
        let shape = [frames.len(), reader.model().bodies.len(), 3];
        let (mut step, mut energy, mut hash) = (Vec::new(), Vec::new(), Vec::new());
        let written: std::result::Result<(), Trouble> = self.0.entry("positions.npy", |put| {
            put(&header("<f8", &shape))?;
            for &index in frames {
                let frame = reader.frame(index)?;
                put(&vector_bytes(&frame.positions))?;
                step.push(frame.step);
                energy.push(frame.energy);
                hash.push(reader.stored_hash(index));
            }
            Ok(())
        });
        written.map_err(|Trouble(problem)| problem)?;
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

    fn model(&mut self, model: &Model) -> io::Result<()> {
        let bodies = &model.bodies;
        let count = [bodies.len()];
        self.array("radius", "<f8", &count, bodies.iter().flat_map(|b| b.radius.to_le_bytes()))?;
        self.array("mass", "<f8", &count, bodies.iter().flat_map(|b| b.mass.to_le_bytes()))?;
        self.array("group", "<u4", &count, bodies.iter().flat_map(|b| b.group.to_le_bytes()))?;
        self.names("group_names", &model.groups)?;
        self.array("gravity", "<f8", &[3], vector_bytes(&[model.gravity]))?;
        let faces = model.boundary.faces();
        let corners = faces.first().map_or(3, |face| face.corners.len());
        let boundary = faces.iter().flat_map(|face| vector_bytes(&face.corners));
        self.array("boundary", "<f8", &[faces.len(), corners, 3], boundary)
    }

    fn contacts(&mut self, contacts: &[Contact]) -> io::Result<()> {
        let count = [contacts.len()];
        let with = contacts.iter().map(|contact| contact.with.parts());
        let body = contacts.iter().flat_map(|contact| contact.body.to_le_bytes());
        let force = contacts.iter().flat_map(|contact| contact.force.to_le_bytes());
        let image = with.clone().flat_map(|side| side.2).flat_map(|i| i.to_le_bytes());
        self.array("contacts_body", "<u4", &count, body)?;
        self.array("contacts_with", "<u4", &count, with.clone().flat_map(|s| s.0.to_le_bytes()))?;
        self.array("contacts_is_face", "|b1", &count, with.map(|side| side.1))?;
        self.array("contacts_image", "<i4", &[contacts.len(), 3], image)?;
        self.array("contacts_force", "<f8", &count, force)
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
