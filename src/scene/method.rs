//! The methods by name.

use serde::{Deserialize, Serialize};

/// Which question is asked of a scene.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum MethodName {
    /// Where do the bodies come to rest?
    #[default]
    Settle,
    /// How do they fall, exactly?
    Collapse,
    /// How do they move, fast?
    Dynamics,
    /// How tight does a layout get?
    Compact,
    /// What is the least movement out of overlap?
    Separate,
}

impl MethodName {
    /// All of them, in the order of tables and of the reference.
    pub const ALL: [MethodName; 5] = [
        MethodName::Settle,
        MethodName::Collapse,
        MethodName::Dynamics,
        MethodName::Compact,
        MethodName::Separate,
    ];

    /// As scene files and the command line spell it.
    pub fn name(self) -> &'static str {
        match self {
            MethodName::Settle => "settle",
            MethodName::Collapse => "collapse",
            MethodName::Dynamics => "dynamics",
            MethodName::Compact => "compact",
            MethodName::Separate => "separate",
        }
    }

    /// In a sentence, for the description of the format.
    pub fn about(self) -> &'static str {
        match self {
            MethodName::Settle => {
                "Bodies move to lower energy without ever overlapping, frictionless, until they \
                 provably rest."
            }
            MethodName::Collapse => {
                "Rigid bodies stand or fall by Gauss' principle of least restraint."
            }
            MethodName::Dynamics => {
                "Rigid bodies, joints and cloth move in time, by projection of one constraint at \
                 a time."
            }
            MethodName::Compact => {
                "Pieces of a flat layout slide together before a wall that moves in."
            }
            MethodName::Separate => {
                "Bodies that overlap are taken apart by the least movement, without turning."
            }
        }
    }

    /// The method of this name.
    ///
    /// ```
    /// use riprap::scene::MethodName;
    /// assert_eq!(MethodName::from_name("collapse"), Some(MethodName::Collapse));
    /// assert_eq!(MethodName::from_name("melt"), None);
    /// ```
    pub fn from_name(name: &str) -> Option<MethodName> {
        MethodName::ALL.into_iter().find(|method| method.name() == name)
    }
}

impl std::fmt::Display for MethodName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
