//! Every code that a check of a package gives beside those of [`prowess_format::codes`].
//! [`severity`](crate::severity) says how much each matters.

mod example;
mod page;

use prowess_core::{Code, Diagnostic};

pub use page::page;

/// Declares the codes and [`ALL`], so that none is left out of the list.
macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $name:ident = $text:literal;)*) => {
        $($(#[doc = $doc])+ pub const $name: Code = Code::new($text);)*

        /// Every code of this module.
        pub const ALL: &[Code] = &[$($name),*];

        /// What each code means, in the order of [`ALL`].
        const MEANINGS: &[&str] = &[$(concat!($($doc),+)),*];
    };
}

/// What a code means, with a package that gives it.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The code.
    pub code: Code,
    /// What it says of a package, in a sentence.
    pub meaning: String,
    /// What of a package gives it, or a description where that is too large or no text.
    pub example: String,
    /// What checking the example finds, under the mildest profile that is not silent. `None` where
    /// it takes a source that fails.
    pub diagnostic: Option<Diagnostic>,
}

/// Explains one of [`ALL`].
pub fn explain(code: &Code) -> Option<Explanation> {
    let number = ALL.iter().position(|known| known == code)?;
    let example = example::of(code)?;
    Some(Explanation {
        code: code.clone(),
        meaning: MEANINGS[number].trim().to_owned(),
        diagnostic: example.diagnostic(code),
        example: example.show(),
    })
}

codes! {
    /// The body is estimated at 90 % of 5,000 tokens or more.
    BODY_TOKENS_NEAR_LIMIT = "body-tokens-near-limit";
    /// The body is estimated at more than 5,000 tokens.
    BODY_TOKENS = "body-tokens";
    /// The body is estimated at more than 8,000 tokens.
    BODY_TOKENS_SOFT_LIMIT = "body-tokens-soft-limit";
    /// The body has no heading.
    BODY_NO_HEADINGS = "body-no-headings";
    /// The body does not say when the skill is for use.
    BODY_NO_WHEN = "body-no-when";
    /// The body shows no example.
    BODY_NO_EXAMPLE = "body-no-example";
    /// A character of the body cannot be seen or turns the reading direction.
    BODY_HIDDEN_CHARACTER = "body-hidden-character";
    /// Name and description together are estimated at more than 100 tokens.
    CATALOG_ENTRY_LONG = "catalog-entry-long";
    /// The description does not say when to use the skill.
    DESCRIPTION_NO_WHEN = "description-no-when";
    /// Another skill of the tree has the same description.
    DESCRIPTION_DUPLICATE = "description-duplicate";
    /// Another skill of the tree has nearly the same description.
    DESCRIPTION_NEAR_DUPLICATE = "description-near-duplicate";
    /// Another skill of the tree has a description that a model would confuse with this one.
    DESCRIPTION_CONFUSABLE = "description-confusable";
    /// A link leads to no file.
    LINK_BROKEN = "link-broken";
    /// The body names a file of the package, in code or in its text, that is not there.
    PATH_MISSING = "path-missing";
    /// The script of a hook is not there.
    HOOK_MISSING = "hook-missing";
    /// A link begins at the file system's root, a drive or a home directory.
    LINK_ABSOLUTE = "link-absolute";
    /// A link leads out of the package.
    LINK_LEAVES_PACKAGE = "link-leaves-package";
    /// A link leads to a file more than one level below the package's directory.
    LINK_TOO_DEEP = "link-too-deep";
    /// A file for people, such as `README.md`, lies beside the `SKILL.md`.
    EXTRANEOUS_FILE = "extraneous-file";
    /// A script begins without a comment.
    SCRIPT_NO_HEADER = "script-no-header";
    /// A character of a file's name cannot be seen or turns the reading direction.
    FILE_NAME_HIDDEN_CHARACTER = "file-name-hidden-character";
    /// Two files of the package have names that look alike.
    FILE_NAMES_ALIKE = "file-names-alike";
    /// Another skill of the tree has a name that looks like this one's.
    NAME_CONFUSABLE = "name-confusable";
    /// The files of the package cannot be listed.
    LISTING_FAILED = "listing-failed";
    /// The reference tool `skills-ref` refuses the package.
    SKILLS_REF = "skills-ref";
    /// The reference tool `skills-ref` ends with a traceback on the package.
    SKILLS_REF_CRASH = "skills-ref-crash";
    /// The source reports a package by a path that is none.
    PACKAGE_PATH_INVALID = "package-path-invalid";
}
