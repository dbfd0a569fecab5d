//! The proposals of a policy: checked as `prowess validate` checks a skill, and audited.

use std::sync::Arc;

use prowess_core::AuditSink;
use prowess_governance::FileProposals;

use crate::Policies;

/// Returns the proposals in the directory of the policy; `None` if it names none. What a proposal
/// makes of a skill is checked under the settings of the registry if the feature `lint` is enabled.
pub fn file_proposals(policies: &Policies, audit: &Arc<dyn AuditSink>) -> Option<FileProposals> {
    let policy = policies.proposals.clone();
    let files = FileProposals::new(policy.directory.clone()?, policy);
    let files = files.audited_by(Arc::clone(audit), policies.audit.policy);
    #[cfg(feature = "lint")]
    let files = files.checked_by(check(policies.registry));
    Some(files)
}

#[cfg(feature = "lint")]
fn check(registry: prowess_registry::RegistryPolicy) -> prowess_governance::PackageCheck {
    use prowess_core::{Cancel, Diagnostic, MemorySource, PackageFiles};
    use prowess_lint::{LintOptions, NoProgress, check_tree};

    Arc::new(move |directory: &str, files: &PackageFiles| -> Vec<Diagnostic> {
        // A source that is one package has no name.
        let directory = if directory.is_empty() { "skill" } else { directory };
        let builder =
            files.iter().fold(MemorySource::builder(directory), |builder, (path, file)| {
                builder.file(&format!("{directory}/{path}"), &file.content)
            });
        // A path that no source has is none that a scan finds.
        let Ok(source) = builder.build() else { return Vec::new() };
        let options = LintOptions {
            profile: registry.profile,
            name_rule: registry.name_rule,
            name_mismatch: registry.name_mismatch,
            skill_md_case: registry.skill_md_case,
            limits: registry.limits,
            ..LintOptions::default()
        };
        match check_tree(&source, &options, &NoProgress, &Cancel::default()) {
            Ok(checked) => {
                let found = checked.packages.into_iter().flat_map(|package| package.diagnostics);
                found.chain(checked.problems).collect()
            }
            Err(_) => Vec::new(),
        }
    })
}
