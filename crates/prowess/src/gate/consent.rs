//! Which skills need the consent of a person before their scripts run.

use prowess_core::Trust;

/// The policy of consent to scripts.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConsentPolicy {
    #[cfg(feature = "scripts")]
    pub(crate) scripts: prowess_script::ScriptPolicy,
}

impl ConsentPolicy {
    /// Returns why a script of a skill of this trust needs the consent of a person.
    #[cfg(feature = "scripts")]
    pub(super) fn reason(&self, trust: Trust) -> Option<String> {
        self.scripts.consent(trust)
    }

    /// Returns why a script of a skill of this trust needs the consent of a person.
    #[cfg(not(feature = "scripts"))]
    #[expect(clippy::unused_self, reason = "the policy of scripts is behind a feature")]
    pub(super) fn reason(&self, trust: Trust) -> Option<String> {
        let is_below = trust < Trust::Trusted;
        is_below.then(|| format!("the script is from a source that is `{}`", trust.as_str()))
    }
}
