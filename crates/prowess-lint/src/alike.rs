//! Pairs of skills with similar descriptions.

use prowess_core::Code;
use serde::Serialize;

use crate::codes;

/// Two skills whose descriptions are alike.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Alike {
    /// The directory of the first in the order of paths.
    pub one: String,
    /// The directory of the second.
    pub other: String,
    /// In which way they are alike.
    pub likeness: Likeness,
    /// How much, up to 1: the share of common words, or the cosine of the weighted words.
    pub score: f32,
}

/// In which way two descriptions are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Likeness {
    /// The same words in the same order.
    Duplicate,
    /// At least eight of ten words are common.
    NearDuplicate,
    /// The rare words are common to both, so a model would confuse the skills.
    Confusable,
}

impl Likeness {
    pub(crate) fn code(self) -> Code {
        match self {
            Self::Duplicate => codes::DESCRIPTION_DUPLICATE,
            Self::NearDuplicate => codes::DESCRIPTION_NEAR_DUPLICATE,
            Self::Confusable => codes::DESCRIPTION_CONFUSABLE,
        }
    }

    pub(crate) fn message(self, other: &str, score: f32) -> String {
        match self {
            Self::Duplicate => format!("the description is the same as that of `{other}`"),
            Self::NearDuplicate => {
                let percent = score * 100.0;
                format!("the description shares {percent:.0} % of its words with that of `{other}`")
            }
            Self::Confusable => {
                format!("a model may confuse this skill with `{other}` (likeness {score:.2})")
            }
        }
    }

    pub(crate) fn help(self) -> &'static str {
        match self {
            Self::Duplicate | Self::NearDuplicate => {
                "keep one of the two, or say in each what the other does not do"
            }
            Self::Confusable => "say in both descriptions when to use this one and not the other",
        }
    }
}
