//! The features of this build, and the error of a command that needs another one.

use prowess::tools::{SkillTools, Surface};
use prowess::{Diagnostic, Policies};

use crate::failure::Failure;

/// A feature of this package.
pub(crate) struct Feature {
    pub(crate) name: &'static str,
    pub(crate) is_on: bool,
    /// What a user gets with it.
    pub(crate) purpose: &'static str,
}

macro_rules! features {
    ($($name:literal: $purpose:literal,)*) => {
        /// Every feature, by name.
        pub(crate) const FEATURES: &[Feature] =
            &[$(Feature { name: $name, is_on: cfg!(feature = $name), purpose: $purpose }),*];
    };
}

features! {
    "catalog-file": "one catalog for many hosts (`catalog build`)",
    "gitignore": "skip directories that a `.gitignore` excludes (`discovery.gitignore`)",
    "http": "serve many clients over HTTP, with TLS and OAuth (`serve --http`)",
    "json-schema": "every keyword of JSON Schema in arguments of plugins' tools",
    "mcp-sources": "skills of MCP servers, and `mcp call`",
    "postgres": "sessions, approvals and audit of many hosts in PostgreSQL (`--store`)",
    "proxy": "scripts that reach hosts (`scripts.network`, `run --host`)",
    "reference": "output of the reference tool (`--profile skills-ref`)",
    "remotes": "reach sites, OCI registries, buckets and webhooks",
    "sign": "sign what is published (`publish --sign`)",
    "sigstore": "signatures as bundles of sigstore",
    "vendor": "request bodies for model vendors (`prompt --vendor`)",
    "virtual-shell": "a shell over files in memory (`run --shell`, the surface `shell`)",
    "web": "a page for the operator (`serve --web`)",
}

/// Returns an error if this build lacks a feature. `what` is the command, option or key that needs
/// it, as a user writes it.
pub(crate) fn require(feature: &'static str, what: &str) -> Result<(), Failure> {
    if is_on(feature) { Ok(()) } else { Err(lacks(feature, what)) }
}

/// Returns whether this build has a feature.
pub(crate) fn is_on(feature: &str) -> bool {
    FEATURES.iter().any(|one| one.name == feature && one.is_on)
}

/// Returns an error if these policies need features that this build lacks.
pub(crate) fn check(policies: &Policies) -> Result<(), Failure> {
    let needs = policies.needed_features().into_iter();
    let mut needs: Vec<_> = needs.map(|need| (need.feature, need.setting)).collect();
    if !policies.sources.mcp.is_empty() {
        needs.push(("mcp-sources", "sources.mcp"));
    }
    needs.retain(|(feature, _)| !is_on(feature));
    if needs.is_empty() { Ok(()) } else { Err(lacking(&needs)) }
}

/// Leaves the shell out where this build lacks it and other tools are left, as of the preset
/// `sandbox`, and returns the finding.
pub(crate) fn without_shell(policies: &mut Policies) -> Option<Diagnostic> {
    let surfaces = &mut policies.tools.surfaces;
    let is_shell = |surface: &Surface| *surface == Surface::Shell;
    if is_on("virtual-shell") || !surfaces.iter().any(is_shell) || surfaces.iter().all(is_shell) {
        return None;
    }
    surfaces.retain(|surface| !is_shell(surface));
    let found = lacks("virtual-shell", SkillTools::EXECUTE).warning();
    Some(Diagnostic { message: format!("the tool {}", found.message), ..found })
}

/// Returns the error of a command, option or key that needs a feature.
pub(crate) fn lacks(feature: &str, what: &str) -> Failure {
    lacking(&[(feature, what)])
}

/// Returns the error of what needs features, each with what needs it.
fn lacking(needs: &[(&str, &str)]) -> Failure {
    let need = |(feature, what): &(_, _)| format!("`{what}` needs the feature `{feature}`");
    let each: Vec<_> = needs.iter().map(need).collect();
    let missing: Vec<_> = needs.iter().map(|(feature, _)| *feature).collect();
    let each = each.join(" and ");
    let message = format!("{each}, which this program lacks; {}", install_step(&missing));
    Failure::usage(CODE, message, "`prowess version --features` lists all of them")
}

/// The code of what needs a feature.
pub(crate) const CODE: &str = "feature-missing";

/// Returns whether a text names a missing feature.
pub(crate) fn is_explained_in(text: &str) -> bool {
    text.contains("needs the feature `")
}

/// Returns the next step that adds features to those of this program.
pub(crate) fn install_step(missing: &[&str]) -> String {
    let is_wanted = |one: &&Feature| one.is_on || missing.contains(&one.name);
    let wanted: Vec<_> = FEATURES.iter().filter(is_wanted).map(|one| one.name).collect();
    let wanted = wanted.join(" ");
    let quote = if wanted.contains(' ') { "\"" } else { "" };
    format!(
        "install it with `cargo install --locked --path crates/prowess-cli --features \
         {quote}{wanted}{quote}` in a checkout"
    )
}

#[cfg(test)]
mod tests {
    use super::FEATURES;

    #[test]
    fn list_has_each_feature_of_the_manifest() {
        let manifest = include_str!("../Cargo.toml");
        let full = manifest.split_once("full = [").expect("the manifest has `full`").1;
        let full = full.split_once(']').expect("the list ends").0;
        let mut names: Vec<_> = full.split('"').skip(1).step_by(2).collect();
        names.push("postgres");
        names.sort_unstable();
        let listed: Vec<_> = FEATURES.iter().map(|feature| feature.name).collect();
        assert_eq!(listed, names, "`full` has every feature of the list but one");
    }
}
