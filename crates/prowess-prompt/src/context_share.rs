//! A share of a model's context window.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A share of a context window, from 0 to 1. Files contain it as a decimal number, such as `0.02`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ContextShare {
    millionths: u32,
}

impl ContextShare {
    const WHOLE: u32 = 1_000_000;

    /// Creates a share, rounded to a millionth. Returns `None` for a number below 0 or above 1.
    pub fn new(share: f64) -> Option<Self> {
        let is_share = (0.0..=1.0).contains(&share);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the number is from 0 to a million"
        )]
        is_share.then(|| Self { millionths: (share * f64::from(Self::WHOLE)).round() as u32 })
    }

    /// Returns this share of a window, in whole tokens.
    pub fn of(self, window: usize) -> usize {
        let tokens = window as u128 * u128::from(self.millionths) / u128::from(Self::WHOLE);
        usize::try_from(tokens).expect("a share is no larger than the whole")
    }
}

impl Serialize for ContextShare {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(f64::from(self.millionths) / f64::from(Self::WHOLE))
    }
}

impl<'de> Deserialize<'de> for ContextShare {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let share = f64::deserialize(deserializer)?;
        let refused = || serde::de::Error::custom("a share of a context window is from 0 to 1");
        Self::new(share).ok_or_else(refused)
    }
}
