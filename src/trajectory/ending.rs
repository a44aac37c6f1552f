//! The ending record: why the run ended, the contacts and their forces at
//! rest, and the certificate. Numbers are columns, so that infinite ones (a
//! bound that could not be found) survive.

use super::column::{Builder, Columns};
use super::{Certificate, Contact, Ending, Seat, With, from_word, word};
use crate::math::DVec3;
use crate::problem::{Problem, Result};

pub(super) fn write(ending: &Ending) -> Vec<u8> {
    let mut builder = Builder::default();
    builder.text("outcome", &word(&ending.outcome));
    builder.plain("seconds", 1, &[ending.seconds]);
    builder.plain("cpu_seconds", 1, &[ending.cpu_seconds]);
    builder.plain("act_seconds", 1, &ending.acts);
    write_contacts(&mut builder, &ending.contacts);
    if let Some(certificate) = &ending.certificate {
        write_certificate(&mut builder, certificate);
    }
    builder.payload()
}

pub(super) fn read(payload: &[u8]) -> Result<Ending> {
    let columns = Columns::read(payload)?;
    let certificate = if columns.has("verdict") { Some(read_certificate(&columns)?) } else { None };
    Ok(Ending {
        outcome: from_word(&columns.text("outcome")?)?,
        contacts: read_contacts(&columns)?,
        certificate,
        seconds: columns.value("seconds")?,
        cpu_seconds: columns.value("cpu_seconds")?,
        acts: columns.values("act_seconds", 1)?,
    })
}

fn write_contacts(builder: &mut Builder, contacts: &[Contact]) {
    let body: Vec<u32> = contacts.iter().map(|contact| contact.body).collect();
    let force: Vec<f64> = contacts.iter().map(|contact| contact.force).collect();
    let sides = contacts.iter().map(|contact| contact.with.parts());
    let with: Vec<u32> = sides.clone().map(|side| side.0).collect();
    let is_face: Vec<u8> = sides.clone().map(|side| side.1).collect();
    let image: Vec<i32> = sides.flat_map(|side| side.2).collect();
    builder.packed("contact_body", 1, &body);
    builder.packed("contact_with", 1, &with);
    builder.packed("contact_is_face", 1, &is_face);
    builder.packed("contact_image", 3, &image);
    builder.floats("contact_force", &force);
    let seats: Vec<Seat> = contacts.iter().filter_map(|contact| contact.with.seat()).collect();
    if !seats.is_empty() {
        let pieces: Vec<u32> = seats.iter().flat_map(|seat| seat.pieces).collect();
        let normals: Vec<DVec3> = seats.iter().map(|seat| DVec3::from(seat.normal)).collect();
        let choices: Vec<u8> = seats.iter().map(|seat| u8::from(seat.choice)).collect();
        builder.packed("contact_pieces", 2, &pieces);
        builder.vectors("contact_normal", &normals);
        builder.packed("contact_choice", 1, &choices);
    }
}

/// The seats of contacts with solids, in the order of the contacts.
fn read_seats(columns: &Columns) -> Result<Vec<Seat>> {
    if !columns.has("contact_pieces") {
        return Ok(Vec::new());
    }
    let pieces: Vec<u32> = columns.values("contact_pieces", 2)?;
    let normals = columns.vectors("contact_normal")?;
    let choices: Vec<u8> = columns.values("contact_choice", 1)?;
    if [pieces.len() / 2, choices.len()] != [normals.len(); 2] {
        return Err(Problem::new("its columns of contacts with solids differ in length"));
    }
    let seat = |(i, normal): (usize, &DVec3)| Seat {
        pieces: [pieces[2 * i], pieces[2 * i + 1]],
        normal: normal.to_array(),
        choice: choices[i] == 1,
    };
    Ok(normals.iter().enumerate().map(seat).collect())
}

fn read_contacts(columns: &Columns) -> Result<Vec<Contact>> {
    let body: Vec<u32> = columns.values("contact_body", 1)?;
    let with: Vec<u32> = columns.values("contact_with", 1)?;
    let is_face: Vec<u8> = columns.values("contact_is_face", 1)?;
    let image: Vec<i32> = columns.values("contact_image", 3)?;
    let force: Vec<f64> = columns.values("contact_force", 1)?;
    let n = body.len();
    if [with.len(), is_face.len(), image.len() / 3, force.len()] != [n; 4] {
        return Err(Problem::new("its columns of contacts differ in length"));
    }
    let mut seats = read_seats(columns)?.into_iter();
    let mut contact = |i: usize| {
        let image = [image[3 * i], image[3 * i + 1], image[3 * i + 2]];
        let with = match is_face[i] {
            1 => With::Face(with[i]),
            2 => With::Rope(with[i]),
            3 => With::Strut(with[i]),
            kind @ (4 | 5) => {
                let missing = || Problem::new("a contact with a solid has no normal");
                let seat = seats.next().ok_or_else(missing)?;
                if kind == 4 { With::Pieces(with[i], seat) } else { With::Wall(with[i], seat) }
            }
            _ => With::Body(with[i], image),
        };
        Ok(Contact { body: body[i], with, force: force[i] })
    };
    (0..n).map(&mut contact).collect()
}

fn write_certificate(builder: &mut Builder, certificate: &Certificate) {
    let Certificate {
        residual,
        bound,
        rank,
        unknowns,
        unstable_modes,
        neutral_modes,
        margin,
        verdict,
    } = certificate;
    builder.plain("residual", 1, &[*residual]);
    builder.plain("bound", 1, &[*bound]);
    builder.plain("rank", 1, &[*rank]);
    builder.plain("unknowns", 1, &[*unknowns]);
    builder.plain("unstable_modes", 1, &[*unstable_modes]);
    builder.plain("neutral_modes", 1, &[*neutral_modes]);
    builder.plain("margin", 1, &[*margin]);
    builder.text("verdict", verdict);
}

fn read_certificate(columns: &Columns) -> Result<Certificate> {
    Ok(Certificate {
        residual: columns.value("residual")?,
        bound: columns.value("bound")?,
        rank: columns.value("rank")?,
        unknowns: columns.value("unknowns")?,
        unstable_modes: columns.value("unstable_modes")?,
        neutral_modes: columns.value("neutral_modes")?,
        margin: columns.value("margin")?,
        verdict: columns.text("verdict")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trajectory::{Outcome, samples};

    #[test]
    fn an_ending_comes_back_whole() {
        let mut ending = samples::ending();
        assert_eq!(read(&write(&ending)), Ok(ending.clone()));
        ending.certificate = None;
        ending.contacts.clear();
        ending.outcome = Outcome::StepLimit;
        assert_eq!(read(&write(&ending)), Ok(ending));
    }

    #[test]
    fn infinite_bounds_survive() {
        let mut ending = samples::ending();
        if let Some(certificate) = &mut ending.certificate {
            certificate.bound = f64::INFINITY;
        }
        assert_eq!(read(&write(&ending)), Ok(ending));
    }

    #[test]
    fn contacts_of_unequal_length_are_refused() {
        let mut builder = Builder::default();
        builder.text("outcome", "rest");
        builder.packed("contact_body", 1, &[1_u32, 2]);
        builder.packed("contact_with", 1, &[3_u32]);
        builder.packed("contact_is_face", 1, &[0_u8, 0]);
        builder.packed("contact_image", 3, &[0_i32; 6]);
        builder.floats("contact_force", &[1.0, 2.0]);
        let problem = read(&builder.payload()).unwrap_err();
        assert_eq!(problem.message, "its columns of contacts differ in length");
    }
}
