//! The header record: the scene as it was written, and the model made of it.

use serde::{Deserialize, Serialize};

use super::column::{Builder, Columns};
use super::{assembly, solids, tower};
use crate::math::DVec3;
use crate::problem::{Problem, Result};
use crate::scene::{Collapse, Dynamics, Form, Law, Settle};
use crate::shape::{Boundary, Face};
use crate::world::{Anchor, Body, Link, Model, Term};

/// What a run file says before its first frame.
pub(super) struct Header {
    pub model: Model,
    pub scene_text: String,
    pub acts: Vec<String>,
}

/// The part of a header that is text; large arrays have columns of their own.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct About {
    name: String,
    dimension: usize,
    groups: Vec<String>,
    settle: Settle,
    /// A run of the method settle has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    collapse: Option<Collapse>,
    /// Only a run of the method dynamics has any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    dynamics: Option<Dynamics>,
    seed: u64,
    acts: Vec<String>,
    #[serde(default)]
    terms: Vec<AboutTerm>,
}

/// An energy; what it acts on is in columns, one term after the other.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct AboutTerm {
    law: Law,
    form: Form,
    pairs: usize,
    anchors: usize,
}

/// The payload of a header. Refuses options that would not come back the same.
pub(super) fn write(model: &Model, scene_text: &str, acts: &[&str]) -> Result<Vec<u8>> {
    let about = About {
        name: model.name.clone(),
        dimension: model.dimension,
        groups: model.groups.clone(),
        settle: model.settle.clone(),
        collapse: model.is_tower().then_some(model.collapse),
        dynamics: model.is_dynamic().then_some(model.dynamics),
        seed: model.seed,
        acts: acts.iter().map(|act| act.to_string()).collect(),
        terms: model.terms.iter().map(AboutTerm::of).collect(),
    };
    let text = serde_json::to_string(&about).unwrap_or_default();
    if serde_json::from_str::<About>(&text).ok().as_ref() != Some(&about) {
        let message = format!("the run file cannot hold these options: {:?}", model.settle);
        return Err(Problem::new(message).help("every option is a finite number"));
    }
    let column = |pick: fn(&Body) -> f64| model.bodies.iter().map(pick).collect::<Vec<f64>>();
    let group: Vec<u32> = model.bodies.iter().map(|body| body.group).collect();
    let faces = model.boundary.faces();
    let face_size: Vec<u32> = faces.iter().map(|face| face.corners.len() as u32).collect();
    let corners: Vec<_> = faces.iter().flat_map(|face| face.corners.iter().copied()).collect();

    let mut builder = Builder::default();
    builder.text("about", &text);
    builder.text("scene", scene_text);
    builder.vectors("gravity", &[model.gravity]);
    builder.floats("radius", &column(|body| body.radius));
    builder.floats("mass", &column(|body| body.mass));
    builder.packed("group", 1, &group);
    builder.packed("face_size", 1, &face_size);
    builder.vectors("corner", &corners);
    write_forces(&mut builder, model);
    tower::write_tower(&mut builder, model);
    assembly::write(&mut builder, model);
    solids::write(&mut builder, model);
    Ok(builder.payload())
}

impl AboutTerm {
    fn of(term: &Term) -> AboutTerm {
        let (pairs, anchors) = (term.pairs.len(), term.anchors.len());
        AboutTerm { law: term.law, form: term.form, pairs, anchors }
    }
}

/// What only scenes with forces, links or fixed bodies have.
fn write_forces(builder: &mut Builder, model: &Model) {
    let bodies = &model.bodies;
    if bodies.iter().any(|body| body.push != DVec3::ZERO) {
        builder.vectors("push", &bodies.iter().map(|body| body.push).collect::<Vec<_>>());
    }
    if bodies.iter().any(|body| body.fixed) {
        let fixed: Vec<u8> = bodies.iter().map(|body| u8::from(body.fixed)).collect();
        builder.packed("fixed", 1, &fixed);
    }
    if !model.terms.is_empty() {
        let pairs = model.terms.iter().flat_map(|term| term.pairs.iter().flatten().copied());
        let anchors: Vec<&Anchor> = model.terms.iter().flat_map(|term| &term.anchors).collect();
        builder.packed("term_pair", 2, &pairs.collect::<Vec<u32>>());
        builder.packed("anchor_body", 1, &anchors.iter().map(|a| a.body).collect::<Vec<_>>());
        builder.vectors("anchor_point", &anchors.iter().map(|a| a.point).collect::<Vec<_>>());
        builder.floats("softening", &anchors.iter().map(|a| a.softening).collect::<Vec<_>>());
    }
    if !model.links.is_empty() {
        let ends: Vec<u32> = model.links.iter().flat_map(|link| [link.a, link.b]).collect();
        builder.packed("link", 2, &ends);
        builder.floats("link_length", &model.links.iter().map(|l| l.length).collect::<Vec<_>>());
        builder.floats("link_give", &model.links.iter().map(|l| l.give).collect::<Vec<_>>());
    }
}

pub(super) fn read(payload: &[u8]) -> Result<Header> {
    let columns = Columns::read(payload)?;
    let about: About = serde_json::from_str(&columns.text("about")?)
        .map_err(|error| Problem::new(format!("its column `about` is not as expected: {error}")))?;
    let gravity = columns.vectors("gravity")?;
    let mut bodies = read_bodies(&columns, about.groups.len())?;
    let shapes = solids::read(&columns, &mut bodies)?;
    let gravity = *gravity.first().ok_or_else(|| Problem::new("its column `gravity` is empty"))?;
    let model = Model {
        tower: tower::read_tower(&columns, about.dimension, gravity, bodies.len())?,
        collapse: about.collapse.unwrap_or_default(),
        assembly: assembly::read(&columns, bodies.len())?,
        dynamics: about.dynamics.unwrap_or_default(),
        name: about.name,
        dimension: about.dimension,
        terms: read_terms(&columns, &about.terms, bodies.len())?,
        links: read_links(&columns, bodies.len())?,
        bodies,
        shapes,
        groups: about.groups,
        boundary: Boundary::from_faces(read_faces(&columns)?)?,
        gravity,
        settle: about.settle,
        seed: about.seed,
    };
    Ok(Header { model, scene_text: columns.text("scene")?, acts: about.acts })
}

fn read_bodies(columns: &Columns, groups: usize) -> Result<Vec<Body>> {
    let radius: Vec<f64> = columns.values("radius", 1)?;
    let mass: Vec<f64> = columns.values("mass", 1)?;
    let group: Vec<u32> = columns.values("group", 1)?;
    if radius.len() != mass.len() || radius.len() != group.len() {
        return Err(Problem::new("its columns `radius`, `mass` and `group` differ in length"));
    }
    if let Some(unknown) = group.iter().find(|&&group| group as usize >= groups) {
        let message = format!("a body is of group {unknown}, but there are {groups} groups");
        return Err(Problem::new(message));
    }
    let (mut push, mut fixed) = (vec![DVec3::ZERO; radius.len()], vec![0_u8; radius.len()]);
    if columns.has("push") {
        push = columns.vectors("push")?;
    }
    if columns.has("fixed") {
        fixed = columns.values("fixed", 1)?;
    }
    if [push.len(), fixed.len()] != [radius.len(); 2] {
        return Err(Problem::new("its columns `radius`, `push` and `fixed` differ in length"));
    }
    let body = |i: usize| Body {
        push: push[i],
        fixed: fixed[i] == 1,
        ..Body::new(radius[i], mass[i], group[i])
    };
    Ok((0..radius.len()).map(body).collect())
}

fn read_terms(columns: &Columns, about: &[AboutTerm], bodies: usize) -> Result<Vec<Term>> {
    if about.is_empty() {
        return Ok(Vec::new());
    }
    let ends: Vec<u32> = columns.values("term_pair", 2)?;
    let body: Vec<u32> = columns.values("anchor_body", 1)?;
    let point = columns.vectors("anchor_point")?;
    let softening: Vec<f64> = columns.values("softening", 1)?;
    check_bodies(ends.iter().chain(&body), bodies)?;
    let anchor =
        |((&body, &point), &softening): ((&u32, &DVec3), &f64)| Anchor { body, point, softening };
    let mut pairs = ends.chunks_exact(2).map(|ends| [ends[0], ends[1]]);
    let mut anchors = body.iter().zip(&point).zip(&softening).map(anchor);
    let term = |about: &AboutTerm| Term {
        law: about.law,
        form: about.form,
        pairs: pairs.by_ref().take(about.pairs).collect(),
        anchors: anchors.by_ref().take(about.anchors).collect(),
    };
    let terms: Vec<Term> = about.iter().map(term).collect();
    let complete = terms.iter().zip(about).all(|(term, about)| AboutTerm::of(term) == *about);
    if !complete || point.len() != body.len() || softening.len() != body.len() {
        return Err(Problem::new("its columns of forces do not fit together"));
    }
    Ok(terms)
}

fn read_links(columns: &Columns, bodies: usize) -> Result<Vec<Link>> {
    if !columns.has("link") {
        return Ok(Vec::new());
    }
    let ends: Vec<u32> = columns.values("link", 2)?;
    let length: Vec<f64> = columns.values("link_length", 1)?;
    let give: Vec<f64> = columns.values("link_give", 1)?;
    check_bodies(ends.iter(), bodies)?;
    if [length.len(), give.len()] != [ends.len() / 2; 2] {
        return Err(Problem::new("its columns of links differ in length"));
    }
    let link = |(k, ends): (usize, &[u32])| Link {
        a: ends[0],
        b: ends[1],
        length: length[k],
        give: give[k],
    };
    Ok(ends.chunks_exact(2).enumerate().map(link).collect())
}

fn check_bodies<'a>(mut named: impl Iterator<Item = &'a u32>, bodies: usize) -> Result<()> {
    match named.find(|&&body| body as usize >= bodies) {
        None => Ok(()),
        Some(body) => {
            let message = format!("a force or link names body {body}, but there are {bodies}");
            Err(Problem::new(message))
        }
    }
}

fn read_faces(columns: &Columns) -> Result<Vec<Face>> {
    let mut corners = columns.vectors("corner")?.into_iter();
    let face_size: Vec<u32> = columns.values("face_size", 1)?;
    let faces: Vec<Face> = face_size
        .iter()
        .map(|&size| Face { corners: corners.by_ref().take(size as usize).collect() })
        .collect();
    let missing = faces.iter().zip(&face_size).any(|(f, &size)| f.corners.len() != size as usize);
    if missing || corners.next().is_some() {
        return Err(Problem::new("its columns `face_size` and `corner` do not fit together"));
    }
    Ok(faces)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trajectory::samples;

    #[test]
    fn a_model_comes_back_to_the_last_bit() {
        let mut model = samples::model(5);
        model.bodies[1].radius = 0.1 + 0.2;
        model.bodies[2].mass = f64::MIN_POSITIVE / 3.0;
        model.gravity = DVec3::new(-0.0, 1e-300, -9.81);
        model.settle.tolerance = 1.0 / 3.0 * 1e-6;
        model.seed = u64::MAX - 1;
        let payload = write(&model, "scène = \"été\"\n", &["pairs", "solve"]).unwrap();
        let header = read(&payload).unwrap();
        assert_eq!(header.scene_text, "scène = \"été\"\n");
        assert_eq!(header.acts, ["pairs", "solve"]);
        assert_eq!(header.model.bodies, model.bodies);
        assert_eq!(header.model.boundary.faces(), model.boundary.faces());
        assert_eq!(header.model.settle, model.settle);
        assert_eq!(header.model.gravity.x.to_bits(), (-0.0_f64).to_bits());
        assert_eq!(
            (header.model.name, header.model.dimension, header.model.seed, header.model.groups),
            (model.name, model.dimension, model.seed, model.groups)
        );
    }

    #[test]
    fn options_that_text_cannot_hold_are_refused() {
        let mut model = samples::model(1);
        model.settle.early_stop = f64::INFINITY;
        let problem = write(&model, "", &[]).unwrap_err();
        assert!(problem.message.contains("early_stop: inf"), "{problem}");
    }

    #[test]
    fn columns_that_do_not_fit_together_are_refused() {
        let write_with = |radii: &[f64], group: u32, face_size: &[u32]| {
            let mut builder = Builder::default();
            let about =
                r#"{"name":"a","dimension":3,"groups":["g"],"settle":{},"seed":1,"acts":[]}"#;
            builder.text("about", about);
            builder.text("scene", "");
            builder.vectors("gravity", &[DVec3::ZERO]);
            builder.floats("radius", radii);
            builder.floats("mass", &[1.0]);
            builder.packed("group", 1, &[group]);
            builder.packed("face_size", 1, face_size);
            builder.vectors("corner", &[DVec3::ZERO; 3]);
            read(&builder.payload()).map(|header| header.model.settle)
        };
        assert_eq!(write_with(&[1.0], 0, &[3]), Ok(Settle::default()));
        let message = |result: Result<Settle>| result.unwrap_err().message;
        assert_eq!(
            message(write_with(&[1.0, 2.0], 0, &[3])),
            "its columns `radius`, `mass` and `group` differ in length"
        );
        assert_eq!(
            message(write_with(&[1.0], 1, &[3])),
            "a body is of group 1, but there are 1 groups"
        );
        for sizes in [&[2][..], &[4], &[3, 1], &[u32::MAX]] {
            assert_eq!(
                message(write_with(&[1.0], 0, sizes)),
                "its columns `face_size` and `corner` do not fit together"
            );
        }
    }
}
