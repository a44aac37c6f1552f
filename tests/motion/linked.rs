//! Bodies that hang on each other: chains, ropes, machines.

use std::fmt::Write;

use super::draft::{Draft, say};

/// Links in a row, level at the start, the last one up to 1e4 times as heavy.
pub fn chain(draft: &mut Draft) {
    draft.head("dynamics", 3);
    let links = draft.count(2, 40);
    let (length, thick) = (draft.between(0.2, 1.0), draft.between(0.03, 0.1));
    let ratio = draft.scale(1.0, 1e4);
    let capsules = draft.chance(0.5);
    let height = length * links as f64 + 2.0;
    for link in 0..links {
        let shape = match capsules {
            true => format!(
                "{{ kind = \"capsule\", radius = {thick}, length = {:.4}, turn = [0, 90, 0] }}",
                length - 2.1 * thick
            ),
            false => {
                let long = 0.95 * length;
                format!("{{ kind = \"box\", size = [{long:.4}, {thick}, {thick}] }}")
            }
        };
        let mass = if link + 1 == links { ratio } else { 1.0 };
        let x = (link as f64 + 0.5) * length;
        say!(
            draft,
            "[[bodies]]\ngroup = \"link{link}\"\nshape = {shape}\nposition = [{x:.4}, 0, {height:.4}]\n\
             mass = {mass}"
        );
    }
    for link in 0..links {
        let before = if link == 0 { "world".into() } else { format!("link{}", link - 1) };
        let kind = match draft.choose(&["ball", "ball", "hinge", "universal"]) {
            "hinge" => "kind = \"hinge\"\naxis = [0, 1, 0]",
            "universal" => "kind = \"universal\"\naxis = [0, 1, 0]\naxis2 = [0, 0, 1]",
            _ => "kind = \"ball\"",
        };
        let x = link as f64 * length;
        say!(
            draft,
            "[[joints]]\n{kind}\nbodies = [\"{before}\", \"link{link}\"]\nat = [{x:.4}, 0, {height:.4}]"
        );
    }
    draft.options("dynamics", "");
}

/// The same in the plane, as families of the dialect have it, thrown onto a floor or not.
fn flat_links(draft: &mut Draft, method: &str) {
    draft.head(method, 2);
    let count = draft.count(2, 12);
    let (length, thick) = (draft.between(0.5, 1.5), draft.between(0.05, 0.2));
    if draft.chance(0.3) {
        draft.floor(2);
    }
    let height = draft.between(2.0, 3.0 + 1.2 * count as f64);
    say!(
        draft,
        "[[bodies]]\ngroup = \"links\"\ntower = {{ family = \"chain\", count = {count}, \
         length = {length}, thickness = {thick} }}\nposition = [0, {height}]\ndensity = {}",
        draft.scale(0.1, 1e3)
    );
    if draft.chance(0.5) {
        let spin = draft.between(-200.0, 200.0);
        say!(draft, "spin = {spin}");
    }
    draft.options(method, "");
}

pub fn chain_flat(draft: &mut Draft) {
    flat_links(draft, "dynamics");
}

pub fn chain_collapse(draft: &mut Draft) {
    flat_links(draft, "collapse");
}

pub fn rope(draft: &mut Draft) {
    draft.head("dynamics", 3);
    let (links, ratio) = (draft.count(3, 60), draft.scale(1.0, 1e4));
    let (length, spin) = (draft.between(0.05, 0.3), draft.vector(60.0));
    say!(
        draft,
        "[[bodies]]\ngroup = \"rope\"\nstructure = {{ family = \"rope\", links = {links}, \
         length = {length}, ratio = {ratio} }}\nposition = [0, 0, 20]\nspin = {spin}"
    );
    draft.options("dynamics", "");
}

/// Bodies on slack ropes and on bars that are thrown, so that the ropes snap tight.
pub fn tethers(draft: &mut Draft) {
    draft.head("dynamics", 3);
    let count = draft.count(2, 30);
    for body in 0..count {
        let shape = draft.shape(0.3);
        let (velocity, mass) = (draft.vector(8.0), draft.scale(0.01, 100.0));
        let x = 2.0 * body as f64;
        say!(
            draft,
            "[[bodies]]\ngroup = \"b{body}\"\nshape = {shape}\nposition = [{x}, 0, 5]\n\
             velocity = {velocity}\nmass = {mass}"
        );
    }
    for body in 0..count {
        let x = 2.0 * body as f64;
        match draft.choose(&["hung", "hung", "next"]) {
            "next" if body > 0 => {
                let length = draft.between(2.3, 3.0);
                say!(
                    draft,
                    "[[joints]]\nkind = \"rope\"\nbodies = [\"b{}\", \"b{body}\"]\nlength = {length}",
                    body - 1
                );
            }
            _ => {
                let kind = draft.choose(&["rope", "rope", "distance"]);
                let length = match kind {
                    "rope" => format!("length = {}", draft.between(1.05, 2.0)),
                    _ => String::new(),
                };
                say!(
                    draft,
                    "[[joints]]\nkind = \"{kind}\"\nbodies = [\"b{body}\", \"world\"]\nat = [{x}, 0, 5]\n\
                     to = [{x}, 0, 6]\n{length}"
                );
            }
        }
    }
    draft.options("dynamics", "");
}

/// Hinges and sliders with limits and motors, each with an arm that hangs on it.
pub fn machines(draft: &mut Draft) {
    draft.head("dynamics", 3);
    let count = draft.count(2, 12);
    let mut joints = String::new();
    for body in 0..count {
        let (x, mass) = (2.0 * body as f64, draft.scale(0.1, 10.0));
        say!(
            draft,
            "[[bodies]]\ngroup = \"b{body}\"\nshape = {{ kind = \"box\", size = [0.2, 0.3, 1] }}\n\
             position = [{x}, 0, 4]\nmass = {mass}\nspin = [{}, 0, 0]",
            draft.between(-90.0, 90.0)
        );
        say!(
            draft,
            "[[bodies]]\ngroup = \"arm{body}\"\nshape = {{ kind = \"capsule\", radius = 0.1, length = 0.6 }}\n\
             position = [{x}, 0, 3]\nmass = {}",
            draft.scale(0.1, 10.0)
        );
        let (kind, axis) = match draft.choose(&["hinge", "hinge", "slider"]) {
            "hinge" => ("hinge", "[1, 0, 0]"),
            _ => ("slider", "[0, 0, 1]"),
        };
        let _ = write!(
            joints,
            "[[joints]]\nkind = \"{kind}\"\nbodies = [\"b{body}\", \"world\"]\nat = [{x}, 0, 4.5]\naxis = {axis}\n"
        );
        let far = if kind == "hinge" { 60.0 } else { 0.5 };
        if draft.chance(0.5) {
            let (low, high) = (draft.between(-far, 0.0), draft.between(0.0, far));
            let _ = writeln!(joints, "limits = [{low}, {high}]");
        }
        if draft.chance(0.5) {
            let speed = draft.between(-4.0 * far, 4.0 * far);
            let most = draft.scale(0.1, 100.0);
            let most = if draft.chance(0.3) { String::new() } else { format!(", most = {most}") };
            let _ = writeln!(joints, "motor = {{ speed = {speed}{most} }}");
        }
        let kind = draft.choose(&[
            "kind = \"hinge\"\naxis = [1, 0, 0]\nlimits = [-45, 45]",
            "kind = \"ball\"",
            "kind = \"universal\"\naxis = [1, 0, 0]\naxis2 = [0, 1, 0]",
            "kind = \"fixed\"",
        ]);
        let _ = write!(
            joints,
            "[[joints]]\nbodies = [\"arm{body}\", \"b{body}\"]\nat = [{x}, 0, 3.45]\n{kind}\n"
        );
    }
    draft.say(joints);
    draft.options("dynamics", "");
}
