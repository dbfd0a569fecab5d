//! The decisions about a package with a record that a scan finds missing or broken.
//!
//! An unchanged package is always carried over, and a usable report always replaces the record.

use crate::scope::OnMissingSkill;

/// The observation about a package of the previous scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Observed {
    /// Its `SKILL.md` was read and cannot be used.
    Broken,
    /// Its `SKILL.md`, or a directory above it, cannot be read.
    Unreadable,
    /// It was not reported.
    Missing,
}

/// The decision about the record of such a package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// Keep the record of the previous scan, with a finding.
    KeepLast,
    /// Keep the record of the previous scan until a second scan confirms the observation.
    Defer,
    /// Drop the record.
    Drop,
}

/// The other inputs of the decision.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Circumstances {
    /// The treatment of a skill that is found missing or broken.
    pub(crate) on_missing: OnMissingSkill,
    /// Whether the policy keeps the last good version, and this program has seen one.
    pub(crate) keeps_last: bool,
    /// Whether the record is already a kept last good version, so that no second scan is needed.
    pub(crate) is_kept_already: bool,
}

/// Decides about the record of a package.
pub(crate) fn decide(observed: Observed, circumstances: Circumstances) -> Decision {
    use Decision::{Defer, Drop, KeepLast};
    use Observed::{Broken, Missing, Unreadable};
    use OnMissingSkill::{Accept, Confirm};

    let Circumstances { on_missing, keeps_last, is_kept_already } = circumstances;
    match (observed, on_missing) {
        (Missing, Confirm) => Defer,
        (Missing, Accept) => Drop,
        (Broken | Unreadable, Confirm) if !is_kept_already => Defer,
        (Broken | Unreadable, _) if keeps_last => KeepLast,
        (Broken | Unreadable, _) => Drop,
    }
}

#[cfg(test)]
mod tests {
    use super::{Circumstances, Decision, Observed, decide};
    use crate::scope::OnMissingSkill::{Accept, Confirm};

    fn check(observed: Observed, expected: [Decision; 4]) {
        let cases = [(Accept, false), (Accept, true), (Confirm, false), (Confirm, true)];
        for ((on_missing, keeps_last), expected) in cases.into_iter().zip(expected) {
            let circumstances = Circumstances { on_missing, keeps_last, is_kept_already: false };
            let decision = decide(observed, circumstances);
            assert_eq!(decision, expected, "{observed:?} {circumstances:?}");
        }
    }

    #[test]
    fn only_missing_and_broken_skills_are_deferred() {
        use Decision::{Defer, Drop, KeepLast};
        check(Observed::Missing, [Drop, Drop, Defer, Defer]);
        check(Observed::Broken, [Drop, KeepLast, Defer, Defer]);
        check(Observed::Unreadable, [Drop, KeepLast, Defer, Defer]);
    }

    #[test]
    fn kept_version_is_not_deferred() {
        let circumstances =
            Circumstances { on_missing: Confirm, keeps_last: true, is_kept_already: true };
        for observed in [Observed::Broken, Observed::Unreadable] {
            assert_eq!(decide(observed, circumstances), Decision::KeepLast, "{observed:?}");
        }
        assert_eq!(
            decide(Observed::Missing, circumstances),
            Decision::Defer,
            "a missing package is deferred"
        );
    }
}
