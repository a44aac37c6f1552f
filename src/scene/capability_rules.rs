//! What the methods do not take, one line for each key. Whoever teaches a method something new
//! deletes its line here, and renews the reference.

use super::MethodName;
use super::capability::Takes;

/// What some methods do with a key and everything below it.
pub(super) struct Rule {
    pub key: &'static str,
    pub methods: &'static [MethodName],
    pub takes: Takes,
}

const SETTLE: &[MethodName] = &[MethodName::Settle];
const COLLAPSE: &[MethodName] = &[MethodName::Collapse];
const DYNAMICS: &[MethodName] = &[MethodName::Dynamics];
const COMPACT: &[MethodName] = &[MethodName::Compact];
const SEPARATE: &[MethodName] = &[MethodName::Separate];
const NOT_COMPACT: &[MethodName] =
    &[MethodName::Settle, MethodName::Collapse, MethodName::Dynamics, MethodName::Separate];
const NOT_DYNAMICS: &[MethodName] = &[MethodName::Settle, MethodName::Collapse];
const WITHOUT_CLOTH: &[MethodName] =
    &[MethodName::Settle, MethodName::Collapse, MethodName::Separate];
const NOT_SETTLE: &[MethodName] =
    &[MethodName::Collapse, MethodName::Dynamics, MethodName::Separate];
const WITHOUT_TIME: &[MethodName] = &[MethodName::Settle, MethodName::Separate];

/// What contacts hold is asked by `riprap stable` alone.
const ALL: &[MethodName] = &MethodName::ALL;

const fn refused(
    key: &'static str,
    methods: &'static [MethodName],
    why: &'static str,
    instead: &'static str,
) -> Rule {
    Rule { key, methods, takes: Takes::Refused { why, instead } }
}

const fn used(key: &'static str, methods: &'static [MethodName]) -> Rule {
    Rule { key, methods, takes: Takes::Used }
}

const fn unused(key: &'static str, methods: &'static [MethodName]) -> Rule {
    Rule { key, methods, takes: Takes::Unused }
}

const PIECES: &str = "it moves the pieces of a layout";
const GIVE_LAYOUT: &str = "give `layout`, or another `method`";
const DYNAMICS_DOES: &str = "method = \"dynamics\" takes it";
const TRANSLATES: &str = "its bodies do not turn, so nothing but distances can hold them";
const ROPE_OR_BAR: &str = "use `rope` or `bar`, or method = \"dynamics\"";
const CENTRES: &str = "its ropes and bars hold centres";
const LEAVE_OUT: &str = "leave it out";
const HULLS: &str = "use `hulls` or `capsules`, or method = \"dynamics\"";
const NO_ROLLING: &str = "its contacts resist no rolling";
const PIN_OR_BAR: &str = "use `ball` (in 2D: `pin`) or `bar`, or method = \"dynamics\"";
const JOINTS_ARE_POINTS: &str = "it holds bodies at points and by bars";
const NO_DRIVER: &str = "its bodies are moved by forces, or not at all";
const FREE_OR_FIXED: &str = "use \"free\" or \"fixed\", or method = \"dynamics\"";

/// What is not said here is used. More exact rules may contradict broader ones, and names `*`.
pub(super) const RULES: &[Rule] = &[
    // compact
    unused("gravity", COMPACT),
    refused("container", COMPACT, PIECES, GIVE_LAYOUT),
    refused("bodies", COMPACT, PIECES, GIVE_LAYOUT),
    refused("start", COMPACT, PIECES, GIVE_LAYOUT),
    refused("joints", COMPACT, PIECES, GIVE_LAYOUT),
    refused("forces", COMPACT, PIECES, GIVE_LAYOUT),
    refused("cloth", COMPACT, PIECES, GIVE_LAYOUT),
    refused("attachments", COMPACT, PIECES, GIVE_LAYOUT),
    refused(
        "layout",
        NOT_COMPACT,
        "only the method compact moves a layout",
        "give `bodies`, or method = \"compact\"",
    ),
    // all: `riprap stable` asks
    unused("strengths", ALL),
    // settle
    unused("bodies.friction", WITHOUT_TIME),
    unused("bodies.restitution", WITHOUT_TIME),
    unused("bodies.rolling", WITHOUT_TIME),
    unused("bodies.velocity", SETTLE),
    unused("bodies.spin", SETTLE),
    unused("bodies.rotate", NOT_SETTLE),
    unused("container.*.friction", WITHOUT_TIME),
    unused("container.*.restitution", WITHOUT_TIME),
    refused("bodies.tower.chain", SETTLE, TRANSLATES, DYNAMICS_DOES),
    refused("bodies.structure.mobile", SETTLE, TRANSLATES, DYNAMICS_DOES),
    refused("bodies.structure.rope", SETTLE, TRANSLATES, DYNAMICS_DOES),
    refused("joints.kind.*", SETTLE, TRANSLATES, ROPE_OR_BAR),
    used("joints.kind.rope", SETTLE),
    used("joints.kind.bar", SETTLE),
    refused("joints.at", SETTLE, CENTRES, LEAVE_OUT),
    refused("joints.to", SETTLE, CENTRES, LEAVE_OUT),
    refused("joints.axis", SETTLE, CENTRES, LEAVE_OUT),
    refused("joints.axis2", SETTLE, CENTRES, LEAVE_OUT),
    refused("joints.limits", SETTLE, CENTRES, ROPE_OR_BAR),
    refused("joints.motor", SETTLE, "nothing drives its bodies", DYNAMICS_DOES),
    refused("joints.collide", SETTLE, "its bodies never overlap, joined or not", LEAVE_OUT),
    // settle and collapse
    refused("bodies.shape.torus.sections.arcs", WITHOUT_CLOTH, "arcs are not convex", HULLS),
    refused("bodies.motion.driven", NOT_DYNAMICS, NO_DRIVER, FREE_OR_FIXED),
    refused("bodies.path", NOT_DYNAMICS, NO_DRIVER, DYNAMICS_DOES),
    refused("cloth", WITHOUT_CLOTH, "it has no cloth", DYNAMICS_DOES),
    refused("attachments", WITHOUT_CLOTH, "it has no cloth", DYNAMICS_DOES),
    // collapse
    refused(
        "forces",
        COLLAPSE,
        "gravity and contacts alone move its bodies",
        "use another `method`",
    ),
    refused("bodies.rolling", COLLAPSE, NO_ROLLING, "leave it out, or method = \"dynamics\""),
    refused("joints.kind.*", COLLAPSE, JOINTS_ARE_POINTS, PIN_OR_BAR),
    used("joints.kind.ball", COLLAPSE),
    used("joints.kind.pin", COLLAPSE),
    used("joints.kind.bar", COLLAPSE),
    refused("joints.axis", COLLAPSE, JOINTS_ARE_POINTS, LEAVE_OUT),
    refused("joints.axis2", COLLAPSE, JOINTS_ARE_POINTS, LEAVE_OUT),
    refused("joints.limits", COLLAPSE, JOINTS_ARE_POINTS, DYNAMICS_DOES),
    refused("joints.motor", COLLAPSE, JOINTS_ARE_POINTS, DYNAMICS_DOES),
    refused("joints.group", COLLAPSE, "its bars join single bodies", "use `bodies`"),
    refused("joints.between", COLLAPSE, "its bars join single bodies", "use `bodies`"),
    refused("joints.length", COLLAPSE, "its bars are as long as they start", LEAVE_OUT),
    refused("joints.tolerance", COLLAPSE, "its bars are as long as they start", LEAVE_OUT),
    refused("joints.collide", COLLAPSE, "it decides by the kind of joint", LEAVE_OUT),
    // separate
    unused("gravity", SEPARATE),
    unused("bodies.density", SEPARATE),
    unused("bodies.mass", SEPARATE),
    unused("bodies.push", SEPARATE),
    unused("bodies.velocity", SEPARATE),
    unused("bodies.spin", SEPARATE),
    unused("joints.axis", SEPARATE),
    unused("joints.axis2", SEPARATE),
    unused("joints.limits", SEPARATE),
    unused("joints.motor", SEPARATE),
    unused("joints.tolerance", SEPARATE),
    unused("forces", SEPARATE),
    // phases
    refused("phases", COMPACT, PIECES, "use `method` alone"),
    refused("phases.until.quiet", SETTLE, "it ends at rest by itself", LEAVE_OUT),
    refused("phases.until.time", SETTLE, "it has no time", "use `steps`, or leave `until` out"),
    refused("phases.until", SEPARATE, "it ends by itself", LEAVE_OUT),
    // dynamics: how settle writes an energy into its program
    unused("forces.attraction.form", DYNAMICS),
    unused("forces.attraction.directions", DYNAMICS),
    unused("forces.inverse-square.form", DYNAMICS),
    unused("forces.inverse-square.directions", DYNAMICS),
    unused("forces.short-range.form", DYNAMICS),
    unused("forces.short-range.directions", DYNAMICS),
    unused("forces.spring.directions", DYNAMICS),
    unused("forces.spring.form", DYNAMICS),
    unused("forces.spring.piece", DYNAMICS),
];
