//! Packages that a test holds in its hand.

use std::num::NonZeroUsize;

use prowess_core::{Cancel, MemorySource};
use prowess_format::Profile;
use prowess_lint::{Checked, LintOptions, NoProgress, check_tree};

/// A body that gives no finding.
pub(crate) const BODY: &str = "# Notes\n\n## When to use\n\nFor example `a`.\n";

/// A source with these files.
pub(crate) fn memory(files: &[(impl AsRef<str>, impl AsRef<str>)]) -> MemorySource {
    let mut builder = MemorySource::builder("user");
    for (path, text) in files {
        builder = builder.file(path.as_ref(), text.as_ref());
    }
    builder.build().expect("the fixture's paths are good")
}

/// The `SKILL.md` of a skill `name`, whose description is too short to be compared with others.
pub(crate) fn skill_md(name: &str, body: &str) -> String {
    let description = format!("Use {name} when asked.");
    described(name, &description, body)
}

/// The `SKILL.md` of a skill `name`.
pub(crate) fn described(name: &str, description: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\n{body}")
}

/// The verdict on a source by a profile.
pub(crate) fn checked(source: &MemorySource, profile: Profile) -> Checked {
    let threads = NonZeroUsize::new(3).expect("three is not zero");
    let options = LintOptions { profile, threads, ..LintOptions::default() };
    check_tree(source, &options, &NoProgress, &Cancel::default()).expect("it is in memory")
}

/// The codes of a package `notes` with these instructions.
pub(crate) fn codes(text: &str, profile: Profile) -> Vec<String> {
    let checked = checked(&memory(&[("notes/SKILL.md", text)]), profile);
    checked.diagnostics().map(|found| found.code.to_string()).collect()
}

/// The codes of the package `notes` with these files beside its instructions, with their lines.
pub(crate) fn codes_of(body: &str, files: &[(&str, &str)]) -> Vec<(String, Option<u32>)> {
    let text = skill_md("notes", body);
    let mut all = vec![("notes/SKILL.md", text.as_str())];
    all.extend(files);
    let checked = checked(&memory(&all), Profile::Spec);
    let found = checked.diagnostics().map(|found| (found.code.to_string(), found.line));
    found.collect()
}
