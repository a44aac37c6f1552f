//! What `riprap stable -o` writes: a picture of the answer, or a report.

use std::ffi::OsStr;
use std::path::Path;

use riprap::export::exhibit::{Exhibit, Marked, Shade, figure, is_loose};
use riprap::export::write_whole;
use riprap::math::DVec3;
use riprap::step::stable::{Balance, HeldContact, Reaction, Verdict};
use riprap::world::{Contact, Model, State};
use riprap::{Problem, Result};
use riprap_pictures::write_proof;
use riprap_viewer::{PageOptions, Report, report, verdict_svg};
use serde_json::Value;

use crate::arguments::StableOptions;

/// Looks per pixel of a rendered verdict.
const SAMPLES: u32 = 16;

/// What is asked of a file by its ending.
fn ending(out: &Path) -> String {
    out.extension().and_then(OsStr::to_str).unwrap_or("").to_ascii_lowercase()
}

/// Refuses what cannot be written, before anything is computed.
pub(crate) fn check(arguments: &StableOptions) -> Result<()> {
    let Some(out) = &arguments.out else {
        return match arguments.explode {
            Some(_) => Err(Problem::new("--explode is for pictures")
                .help("name one, as in -o apart.png, or leave out --explode")),
            None => Ok(()),
        };
    };
    let is_picture = matches!(ending(out).as_str(), "svg" | "png");
    match (is_picture || matches!(ending(out).as_str(), "html" | "json"), arguments.explode) {
        (false, _) => {
            let message = format!("cannot draw to {}: the ending is not known", out.display());
            Err(Problem::new(message)
                .help("an answer is drawn as an .svg or a .png, and reported as an .html"))
        }
        (_, Some(_)) if !is_picture || arguments.lowest => {
            Err(Problem::new("--explode is for pictures of the answer: .svg and .png")
                .help("leave it out; an .html has a slider for it"))
        }
        (_, share) => check_share(share),
    }
}

/// Bodies move away from each other, or not at all.
pub(crate) fn check_share(share: Option<f64>) -> Result<()> {
    match share.filter(|share| !(share.is_finite() && *share >= 0.0)) {
        None => Ok(()),
        Some(share) => Err(Problem::new(format!("--explode {share} is no share of a distance"))
            .help("give 0.5, or another number that is not negative")),
    }
}

/// The name of an answer, the answer for people and for programs.
pub(crate) struct Told<'a> {
    pub name: &'a str,
    pub words: &'a str,
    pub answer: &'a Value,
    /// A picture of numbers.
    pub plot: Option<&'a str>,
}

/// Writes the picture or the report that was asked for.
pub(crate) fn write(
    out: &Path,
    shown: &Exhibit,
    told: &Told,
    arguments: &StableOptions,
) -> Result<()> {
    let share = arguments.explode.unwrap_or(0.0);
    if share > 0.0 {
        is_loose(shown.model)?;
    }
    match ending(out).as_str() {
        "json" => Err(Problem::new("forces are written back into assemblies of COMPAS only")
            .help("name an .svg, a .png or an .html")),
        "svg" => write_whole(out, verdict_svg(shown, share)),
        "png" => {
            let options = riprap_pictures::Options { samples: SAMPLES, ..Default::default() };
            write_proof(out, shown, share, &options)
        }
        _ => {
            let command: Vec<String> = std::env::args().skip(1).collect();
            let told = Report {
                name: told.name,
                words: &without_tables(told.words),
                open: &open(told.answer, arguments),
                answer: told.answer,
                plot: told.plot,
                command: &format!("riprap {}", command.join(" ")),
            };
            write_whole(out, report(shown, &told, PageOptions::default())?)
        }
    }
}

/// The words without those lines that a report has as tables.
fn without_tables(words: &str) -> String {
    let is_row = |line: &&str| line.starts_with("    ") || line.starts_with("  ground at ");
    words.lines().filter(|line| !is_row(line)).map(|line| format!("{line}\n")).collect()
}

/// What is said of the file that was written.
pub(crate) fn in_words(out: &Path, balance: Balance, is_lowest: bool) -> String {
    let what = match balance {
        _ if is_lowest => "the lowest heights are",
        Balance::Balanced => "the forces are",
        _ => "the mechanism is",
    };
    match ending(out).as_str() {
        "html" => format!("the report is {}: open it in a browser.", out.display()),
        "json" => format!("the forces are written into {}.", out.display()),
        _ => format!("{what} drawn in {}.", out.display()),
    }
}

/// What the answer is, and what it leaves open.
fn open(answer: &Value, arguments: &StableOptions) -> Vec<String> {
    let mut open = Vec::new();
    match answer["caveat"].as_str() {
        Some(caveat) => open.push(format!("{caveat}: \"balanced\" says that forces exist.")),
        None if answer["verdict"] == "stable" => {
            let words = "Without friction, forces that balance all are a proof that it stands.";
            open.push(words.into());
        }
        None => {}
    }
    let has = |key: &str| answer[key].as_array().is_some_and(|list| !list.is_empty());
    let shaken = has("falls") || arguments.acceleration.is_some();
    let mut unasked = vec!["shocks", "vibrations", "settlements"];
    unasked.extend((!has("tilts")).then_some("tilts of the ground"));
    unasked.extend((!shaken).then_some("ground that brakes or accelerates"));
    unasked.extend((!has("order")).then_some("the way in which it is built"));
    open.push(format!("Not asked: {}.", unasked.join(", ")));
    let rigid = "Bodies are rigid, as heavy and as large as the file says, and their own strength has \
                 no limit: nothing is crushed, bends or buckles.";
    open.push(rigid.into());
    if answer["holds_within"].is_null() {
        let here = "The answer is for these very places of the bodies, not for all that are near.";
        open.push(here.into());
    }
    open
}

/// Whom a contact is between.
pub(crate) fn pair(bodies: [Option<u32>; 2]) -> String {
    let name = |body: Option<u32>| body.map_or("the container".into(), |body| format!("{body}"));
    let [one, two] = bodies.map(name);
    format!("{one} and {two}")
}

/// How bodies begin to move, unless they do not.
pub(crate) fn motion(
    balance: Balance,
    accelerations: &[(DVec3, DVec3)],
) -> Option<Vec<(DVec3, DVec3)>> {
    let moves = accelerations.iter().any(|(shift, turn)| shift.length() + turn.length() > 0.0);
    (balance != Balance::Balanced && moves).then(|| accelerations.to_vec())
}

/// The answer for bodies without strengths, which says how strongly contacts press: with the
/// forces of the least sum of squares if these are known, or those of the proof.
pub(crate) fn of_verdict<'a>(
    (model, state): (&'a Model, &'a State),
    verdict: &Verdict,
    (contacts, own, reactions): (&[HeldContact], &[usize], &[Reaction]),
    is_elastic: bool,
) -> Exhibit<'a> {
    let forces: Vec<Contact> = reactions.iter().map(|reaction| reaction.contact).collect();
    let mut sums = vec![DVec3::ZERO; contacts.len()];
    forces.iter().zip(own).for_each(|(contact, k)| sums[*k] += contact.force);
    let sizes = contacts.iter().zip(&sums).map(|(contact, sum)| (contact.bodies, sum.length()));
    let strongest = (0..sums.len()).max_by(|a, b| sums[*a].length().total_cmp(&sums[*b].length()));
    let marked = strongest.filter(|k| sums[*k] != DVec3::ZERO).map(|k| {
        let size = figure(sums[k].length());
        let at = |(contact, _): (&Contact, &usize)| 0.5 * (contact.at[0] + contact.at[1]);
        let here = forces.iter().zip(own).filter(|(_, own)| **own == k);
        Marked {
            label: format!("largest contact force: {size}, of {}", pair(contacts[k].bodies)),
            bodies: contacts[k].bodies,
            normal: contacts[k].normal,
            points: here.map(at).collect(),
        }
    });
    let forces_are = match (verdict.balance, is_elastic) {
        (Balance::Balanced, true) => "forces that balance it, of the least sum of squares",
        (Balance::Balanced, false) => "forces that balance it, some of many (--contact)",
        _ => "forces of the first moment, in which it begins to fall",
    };
    let motion = motion(verdict.balance, &verdict.accelerations);
    // Where nothing presses, there is only a motion to tell.
    let shade = match motion.as_ref().filter(|_| marked.is_none()) {
        Some(motion) => Shade::of_motion(model, motion),
        None => Shade::largest("largest contact force", model, sizes),
    };
    Exhibit {
        model,
        state,
        balance: verdict.balance,
        shade,
        forces,
        forces_are: forces_are.into(),
        marked,
        motion,
    }
}
