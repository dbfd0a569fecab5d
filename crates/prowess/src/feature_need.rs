//! Policies that need a feature of this crate.

use prowess_tools::Surface;

use crate::{Error, Policies};

/// A setting that needs a feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeatureNeed {
    /// The key, with its value where only that needs the feature.
    pub setting: &'static str,
    /// The feature of this crate.
    pub feature: &'static str,
    /// Whether this build has the feature.
    pub is_met: bool,
}

impl Policies {
    /// Returns what these policies need besides the default features, whether or not this build has
    /// it. The host provides the sources of `sources.mcp`, so they are not among it.
    pub fn needed_features(&self) -> Vec<FeatureNeed> {
        let mut needs = Vec::new();
        let mut need = |is_needed: bool, setting, feature, is_met| {
            if is_needed {
                needs.push(FeatureNeed { setting, feature, is_met });
            }
        };
        let has_shell = self.tools.surfaces.contains(&Surface::Shell);
        need(has_shell, "tools.surfaces: shell", SHELL, cfg!(feature = "virtual-shell"));
        #[cfg(feature = "filesystem")]
        need(
            self.discovery.gitignore,
            "discovery.gitignore",
            "gitignore",
            cfg!(feature = "gitignore"),
        );
        #[cfg(feature = "scripts")]
        need(!self.scripts.network.is_empty(), "scripts.network", "proxy", cfg!(feature = "proxy"));
        needs
    }
}

/// The feature of the built-in shell, which a host may replace.
const SHELL: &str = "virtual-shell";

/// Refuses policies of which this build would do a part.
pub(crate) fn check(policies: &Policies, has_own_shell: bool) -> Result<(), Error> {
    let needs = policies.needed_features().into_iter();
    let mut missing = needs.filter(|need| !(need.is_met || has_own_shell && need.feature == SHELL));
    match missing.next() {
        None => Ok(()),
        Some(FeatureNeed { setting, feature, .. }) => {
            Err(Error::MissingFeature { setting, feature })
        }
    }
}
