//! The codes of findings about a whole package, in addition to [`prowess_format::codes`].
//!
//! A code belongs here if it is advice for authors or needs more than one file: the body's wording,
//! links, files, other skills of the tree. What is malformed in a single `SKILL.md` belongs to
//! [`prowess_format::codes`], so that every reader reports it.

mod example;

use prowess_core::{Code, Severity, declare_codes};
use prowess_format::codes::Explanation;
use prowess_format::{CodeEntry, Profile};

/// Returns the severity of one of [`ALL`]; `None` if the profile does not report it.
///
/// The reference tool reads the frontmatter only, so `skills-ref` reports nothing else.
pub fn severity(code: &Code, profile: Profile) -> Option<Severity> {
    let entry = ALL.iter().find(|entry| entry.code == *code);
    entry.map_or(Some(Severity::Error), |entry| profile.severity_of(entry))
}

/// Explains one of [`ALL`].
pub fn explain(code: &Code) -> Option<Explanation> {
    let CodeEntry { meaning, .. } = ALL.iter().find(|entry| entry.code == *code)?;
    let example = example::of(code)?;
    Some(Explanation {
        code: code.clone(),
        meaning: (*meaning).to_owned(),
        diagnostic: example.diagnostic(code),
        example: example.show(),
    })
}

const INTRODUCTION: &str = "
# Diagnostics of whole packages

`prowess validate` also checks the files, the links and the body of a package, and compares the skills of a tree.
";

/// Returns the page that lists the codes of [`prowess_format::codes`] and then those of this crate,
/// each with its meaning, its severities and an example, as Markdown.
pub fn page() -> String {
    prowess_format::codes::page() + INTRODUCTION + &prowess_format::codes::reference(ALL, explain)
}

declare_codes! {
    [lenient extended spec strict skills_ref]
    /// The body is estimated at 90 % of 5,000 tokens or more.
    BODY_TOKENS_NEAR_LIMIT = "body-tokens-near-limit" [hint hint hint hint none];
    /// The body is estimated at more than 5,000 tokens.
    BODY_TOKENS = "body-tokens" [warn warn warn warn none];
    /// The body is estimated at more than 8,000 tokens.
    BODY_TOKENS_SOFT_LIMIT = "body-tokens-soft-limit" [warn warn warn warn none];
    /// The body has no heading.
    BODY_NO_HEADINGS = "body-no-headings" [hint hint hint hint none];
    /// Neither the description nor the body says when to use the skill.
    BODY_NO_WHEN = "body-no-when" [hint hint hint hint none];
    /// The body shows no example. A skill that has only rules needs none, so this is a hint.
    BODY_NO_EXAMPLE = "body-no-example" [hint hint hint hint none];
    /// The body has an invisible character or one that changes the reading direction.
    BODY_HIDDEN_CHARACTER = "body-hidden-character" [warn warn warn error none];
    /// The `SKILL.md` has a password, a token or a private key.
    CREDENTIAL = "credential" [warn warn warn warn none];
    /// Name and description together are estimated at more than 100 tokens, which agentskills.io
    /// expects of this level. Up to 1,024 characters are valid, so this is a hint.
    CATALOG_ENTRY_LONG = "catalog-entry-long" [hint hint hint hint none];
    /// The description does not say when to use the skill.
    DESCRIPTION_NO_WHEN = "description-no-when" [hint hint hint hint none];
    /// Another skill of the tree has the same description.
    DESCRIPTION_DUPLICATE = "description-duplicate" [warn warn warn warn none];
    /// Another skill of the tree has nearly the same description.
    DESCRIPTION_NEAR_DUPLICATE = "description-near-duplicate" [hint warn warn warn none];
    /// Another skill of the tree has a description that a model would confuse with this one.
    DESCRIPTION_CONFUSABLE = "description-confusable" [hint hint hint hint none];
    /// The target of a link does not exist.
    LINK_BROKEN = "link-broken" [warn warn warn warn none];
    /// The body names a file of the package, in code or in its text, that does not exist.
    PATH_MISSING = "path-missing" [hint warn warn warn none];
    /// A dependency of the skill has changed since its instructions did, or since the day in
    /// `last-verified`.
    SKILL_STALE = "skill-stale" [hint hint hint hint none];
    /// Something that the skill depends on by its `metadata` does not exist, or a file of the
    /// repository that the body names was removed.
    DEPENDENCY_MISSING = "dependency-missing" [hint hint hint hint none];
    /// A key about dependencies in `metadata`, or an item of it, cannot be understood, so it is
    /// compared with nothing.
    DEPENDENCY_INVALID = "dependency-invalid" [hint hint hint hint none];
    /// A program or a skill that this one depends on has another version or an unreadable one.
    DEPENDENCY_VERSION = "dependency-version" [hint hint hint hint none];
    /// The script of a hook does not exist.
    HOOK_MISSING = "hook-missing" [warn error error error none];
    /// The command of a hook needs a shell or leaves the package, so it cannot run here.
    HOOK_NEEDS_SHELL = "hook-needs-shell" [warn warn warn warn none];
    /// A link is absolute: it starts at the file system's root, a drive or a home directory.
    LINK_ABSOLUTE = "link-absolute" [warn warn error error none];
    /// The target of a link is outside the package. Where the target exists, this is a warning.
    LINK_LEAVES_PACKAGE = "link-leaves-package" [warn warn error error none];
    /// The target of a link is more than one level below the package's directory.
    LINK_TOO_DEEP = "link-too-deep" [hint hint hint hint none];
    /// The skill still has the text of a template. It is valid while it is written, so this is
    /// never an error.
    TEMPLATE_UNEDITED = "template-unedited" [warn warn warn warn none];
    /// A file for people, such as `README.md`, is next to the `SKILL.md`.
    EXTRANEOUS_FILE = "extraneous-file" [hint hint hint hint none];
    /// A script does not start with a comment.
    SCRIPT_NO_HEADER = "script-no-header" [hint hint hint hint none];
    /// The name of a file has an invisible character or one that changes the reading direction.
    FILE_NAME_HIDDEN_CHARACTER = "file-name-hidden-character" [warn warn warn error none];
    /// Two files of the package have names that look alike.
    FILE_NAMES_ALIKE = "file-names-alike" [warn warn warn warn none];
    /// Another skill of the tree has a name that looks like the name of this one.
    NAME_CONFUSABLE = "name-confusable" [warn warn warn warn none];
    /// The files of the package cannot be listed. Make its directory readable for your
    /// user, and check again.
    LISTING_FAILED = "listing-failed" [warn warn warn warn none];
    /// The reference tool `skills-ref` refuses the package.
    SKILLS_REF = "skills-ref" [error error error error error];
    /// The reference tool `skills-ref` crashes on the package.
    SKILLS_REF_CRASH = "skills-ref-crash" [error error error error error];
    /// The source reports a package by a path that is not valid. Correct the source: a path is
    /// relative, with `/` between its parts and without `.` and `..`.
    PACKAGE_PATH_INVALID = "package-path-invalid" [error error error error error];
}
