//! The proposals of a policy: checked as `prowess validate` checks a skill, and audited.

use std::sync::Arc;

use prowess_core::{
    AuditSink, CatalogProvider as _, Diagnostic, Layer, MemorySource, PackageFiles, Trust,
};
use prowess_governance::{CheckedPackage, FileProposals};
use prowess_registry::{Registry, RegistryPolicy};

use crate::Policies;

/// Returns the proposals in the directory of the policy; `None` if it names none. What a proposal
/// makes of a skill has the id that the registry gives it, and is checked under the registry's
/// settings if the feature `lint` is enabled.
pub fn file_proposals(policies: &Policies, audit: &Arc<dyn AuditSink>) -> Option<FileProposals> {
    let policy = policies.proposals.clone();
    let files = FileProposals::new(policy.directory.clone()?, policy);
    let files = files.audited_by(Arc::clone(audit), policies.audit.policy);
    let registry = policies.registry;
    Some(files.checked_by(Arc::new(move |directory: &str, files: &PackageFiles| {
        let builder =
            files.iter().fold(MemorySource::builder(directory), |builder, (path, file)| {
                builder.file(&format!("{directory}/{path}"), &file.content)
            });
        // A path that no source has is none that a scan finds.
        let Ok(source) = builder.build() else { return CheckedPackage::default() };
        let mut diagnostics = diagnostics(&source, registry);
        let root = format!("memory://{directory}/{directory}/");
        for path in diagnostics.iter_mut().filter_map(|found| found.path.as_mut()) {
            *path = path.strip_prefix(&root).unwrap_or(&**path).into();
        }
        CheckedPackage { id: id(directory, source, registry), diagnostics }
    })))
}

/// Returns the id of the skill of a directory: its files may have others, such as templates.
fn id(directory: &str, source: MemorySource, policy: RegistryPolicy) -> Option<String> {
    let layer = Layer::new("proposed", Trust::Trusted);
    let builder = Registry::builder().policy(policy).layer(layer);
    let registry = builder.source("proposed", Arc::new(source)).build().ok()?;
    registry.reload();
    let catalog = registry.catalog();
    let mut records = catalog.skills().chain(catalog.excluded());
    let own = records.find(|record| record.package().as_str() == directory);
    own.map(|record| record.base_id().to_owned())
}

#[cfg(not(feature = "lint"))]
fn diagnostics(_: &MemorySource, _: RegistryPolicy) -> Vec<Diagnostic> {
    Vec::new()
}

#[cfg(feature = "lint")]
fn diagnostics(source: &MemorySource, registry: RegistryPolicy) -> Vec<Diagnostic> {
    use prowess_core::Cancel;
    use prowess_lint::{LintOptions, NoProgress, check_tree};

    let options = LintOptions {
        profile: registry.profile,
        name_rule: registry.name_rule,
        name_mismatch: registry.name_mismatch,
        skill_md_case: registry.skill_md_case,
        limits: registry.limits,
        ..LintOptions::default()
    };
    match check_tree(source, &options, &NoProgress, &Cancel::default()) {
        Ok(checked) => {
            let found = checked.packages.into_iter().flat_map(|package| package.diagnostics);
            found.chain(checked.problems).collect()
        }
        Err(_) => Vec::new(),
    }
}
