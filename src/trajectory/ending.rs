//! The ending record: why the run ended, the contacts and their forces at
//! rest, and the certificate. Numbers are columns, so that infinite ones (a
//! bound that could not be found) survive.

use super::column::{Builder, Columns};
use super::{Certificate, Ending, contacts, from_word, word};
use crate::problem::Result;

pub(super) fn write(ending: &Ending) -> Vec<u8> {
    let mut builder = Builder::default();
    builder.text("outcome", &word(&ending.outcome));
    if let Some(reason) = &ending.reason {
        builder.text("reason", reason);
    }
    builder.plain("seconds", 1, &[ending.seconds]);
    builder.plain("cpu_seconds", 1, &[ending.cpu_seconds]);
    builder.plain("part_seconds", 1, &ending.parts);
    contacts::write(&mut builder, &ending.contacts, &mut Default::default());
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
        reason: if columns.has("reason") { Some(columns.text("reason")?) } else { None },
        contacts: contacts::read(&columns, &mut Default::default())?,
        certificate,
        seconds: columns.value("seconds")?,
        cpu_seconds: columns.value("cpu_seconds")?,
        parts: columns.values("part_seconds", 1)?,
    })
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
        ending.outcome = Outcome::Failed;
        ending.reason = Some("there is no room".into());
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
        builder.packed("contact_kind", 1, &[0_u8, 0]);
        builder.packed("contact_pieces", 2, &[0_u32; 4]);
        builder.packed("contact_choice", 1, &[0_u8; 2]);
        for name in ["contact_at", "contact_at_other", "contact_normal", "contact_force"] {
            builder.vectors(name, &[crate::math::DVec3::X; 2]);
        }
        let problem = read(&builder.payload()).unwrap_err();
        assert_eq!(problem.message, "its columns of contacts differ in length");
    }
}
