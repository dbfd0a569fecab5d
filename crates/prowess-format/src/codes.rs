//! Every code that reading a `SKILL.md`, writing it anew or putting arguments into it can give. [`crate::Profile::severity`] says how much each
//! matters, [`explain`] what it means.

mod example;
mod page;

use crate::{Code, Diagnostic};

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

/// What a code means, with a file that gives it.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The code.
    pub code: Code,
    /// What it says of a file, in a sentence.
    pub meaning: String,
    /// A file that gives it, or a description of one that is too large to show. Characters that
    /// cannot be seen are escaped.
    pub example: String,
    /// What reading the example finds, under the mildest profile that is not silent.
    pub diagnostic: Diagnostic,
}

/// Explains one of [`ALL`].
///
/// ```
/// use prowess_format::codes;
///
/// let explanation = codes::explain(&codes::NAME_MISSING).expect("a code of this module");
/// assert_eq!(explanation.meaning, "There is no `name`.");
/// assert_eq!(explanation.diagnostic.code, codes::NAME_MISSING);
/// ```
pub fn explain(code: &Code) -> Option<Explanation> {
    let number = ALL.iter().position(|known| known == code)?;
    let example = example::of(code)?;
    Some(Explanation {
        code: code.clone(),
        meaning: MEANINGS[number].trim().replace("[`crate::", "`").replace("`]", "`"),
        diagnostic: example.diagnostic(code)?,
        example: example.show(),
    })
}

codes! {
    /// The file is larger than [`crate::MAX_FILE_BYTES`]; nothing of it was read.
    FILE_TOO_LARGE = "file-too-large";
    /// The file has no bytes.
    FILE_EMPTY = "file-empty";
    /// A byte is not part of UTF-8 text.
    NOT_UTF8 = "not-utf8";
    /// The text holds U+0000.
    NUL_BYTE = "nul-byte";
    /// The file begins with a byte order mark.
    BYTE_ORDER_MARK = "byte-order-mark";
    /// The file does not begin with a `---` line.
    FRONTMATTER_MISSING = "frontmatter-missing";
    /// No later line closes the frontmatter.
    FRONTMATTER_UNCLOSED = "frontmatter-unclosed";
    /// A line `...` closes the frontmatter, which most clients do not take for its end.
    FRONTMATTER_CLOSED_BY_DOTS = "frontmatter-closed-by-dots";
    /// No line closes the frontmatter within [`crate::MAX_FRONTMATTER_BYTES`], beyond which nothing is
    /// looked for.
    FRONTMATTER_TOO_LARGE = "frontmatter-too-large";
    /// The frontmatter is a list or a text.
    FRONTMATTER_NOT_MAPPING = "frontmatter-not-mapping";
    /// The frontmatter breaks YAML's grammar.
    YAML_INVALID = "yaml-invalid";
    /// An anchor (`&name`).
    YAML_ANCHOR = "yaml-anchor";
    /// An alias (`*name`).
    YAML_ALIAS = "yaml-alias";
    /// A tag (`!name`).
    YAML_TAG = "yaml-tag";
    /// A merge key (`<<`).
    YAML_MERGE_KEY = "yaml-merge-key";
    /// A key stands twice in one mapping, however it is quoted.
    YAML_DUPLICATE_KEY = "yaml-duplicate-key";
    /// A key is a list or a mapping.
    YAML_COMPLEX_KEY = "yaml-complex-key";
    /// The frontmatter holds a document marker or a second document.
    YAML_MULTIPLE_DOCUMENTS = "yaml-multiple-documents";
    /// Collections lie deeper in each other than 16 levels.
    YAML_TOO_DEEP = "yaml-too-deep";
    /// There are more than 10,000 keys and values.
    YAML_TOO_MANY_NODES = "yaml-too-many-nodes";
    /// A plain value holds `: `, which YAML takes for a further key. It is read as if it were quoted.
    UNQUOTED_COLON = "unquoted-colon";
    /// A text begins with a bracket, which YAML takes for a list or a mapping. It is read as text.
    FLOW_FOR_TEXT = "flow-for-text";
    /// A quote is not closed before the next key. It is read as if it were closed.
    QUOTE_UNCLOSED = "quote-unclosed";
    /// The instructions are in `skill.md`, not in `SKILL.md`.
    INSTRUCTIONS_FILE_CASE = "instructions-file-case";
    /// There is no `name`.
    NAME_MISSING = "name-missing";
    /// `name` has no text.
    NAME_EMPTY = "name-empty";
    /// `name` is a list or a mapping.
    NAME_NOT_TEXT = "name-not-text";
    /// `name` breaks the grammar of names.
    NAME_INVALID = "name-invalid";
    /// `name` keeps the rule that was chosen, but not that of agentskills.io.
    NAME_NOT_STANDARD = "name-not-standard";
    /// `name` keeps the rule of agentskills.io, but not another that clients use.
    NAME_NOT_PORTABLE = "name-not-portable";
    /// `name` is longer than 64 characters.
    NAME_TOO_LONG = "name-too-long";
    /// `name` belongs to a tool, to the runtime or to an operating system.
    NAME_RESERVED = "name-reserved";
    /// `name` is not the name of the package's directory.
    NAME_DIRECTORY_MISMATCH = "name-directory-mismatch";
    /// There is no `description`.
    DESCRIPTION_MISSING = "description-missing";
    /// `description` has no text.
    DESCRIPTION_EMPTY = "description-empty";
    /// `description` is a list or a mapping.
    DESCRIPTION_NOT_TEXT = "description-not-text";
    /// `description` is longer than 1,024 characters.
    DESCRIPTION_TOO_LONG = "description-too-long";
    /// `description` has blanks at an end; it is read without them.
    DESCRIPTION_TRIMMED = "description-trimmed";
    /// A ` #` ends the unquoted `description`: YAML takes the rest of the line for a comment.
    DESCRIPTION_CUT = "description-cut";
    /// `compatibility` is longer than 500 characters.
    COMPATIBILITY_TOO_LONG = "compatibility-too-long";
    /// `license` or `compatibility` is a list or a mapping; it counts as absent.
    FIELD_NOT_TEXT = "field-not-text";
    /// `metadata` is not a mapping; it counts as empty.
    METADATA_NOT_MAPPING = "metadata-not-mapping";
    /// A key of `metadata` is longer than 256 characters.
    METADATA_KEY_TOO_LONG = "metadata-key-too-long";
    /// An unquoted value that most readers of YAML take for a number, a date, a truth value or nothing.
    PLAIN_NOT_TEXT = "plain-not-text";
    /// `allowed-tools` cannot be read; no tool is allowed.
    ALLOWED_TOOLS_MALFORMED = "allowed-tools-malformed";
    /// `allowed-tools` is longer than 2,048 characters; no tool is allowed.
    ALLOWED_TOOLS_TOO_LONG = "allowed-tools-too-long";
    /// The field is spelled `allowed_tools`.
    ALLOWED_TOOLS_ALIAS = "allowed-tools-alias";
    /// A field that the specification does not name.
    UNKNOWN_FIELD = "unknown-field";
    /// A field whose name is nearly one of the specification's.
    MISSPELLED_FIELD = "misspelled-field";
    /// A field of an extension, under a profile that knows the specification's only.
    EXTENSION_FIELD = "extension-field";
    /// The value of an extension's field is not of the declared type.
    EXTENSION_FIELD_TYPE = "extension-field-type";
    /// The value of an extension's field, or a key in it, is none of the words that are known.
    EXTENSION_VALUE_UNKNOWN = "extension-value-unknown";
    /// The value of an extension's field is blank, out of range or not a word.
    EXTENSION_VALUE_INVALID = "extension-value-invalid";
    /// Two items of an extension's field have the same name.
    EXTENSION_DUPLICATE = "extension-duplicate";
    /// A path in an extension's field leaves the package.
    EXTENSION_PATH = "extension-path";
    /// An extension's field has no effect without another.
    EXTENSION_FIELD_IDLE = "extension-field-idle";
    /// A character of `name` or `description` cannot be seen or turns the reading direction.
    HIDDEN_CHARACTER = "hidden-character";
    /// The body has more than 500 lines.
    BODY_TOO_LONG = "body-too-long";
    /// The body has no text.
    BODY_EMPTY = "body-empty";
    /// A placeholder of the body has a name that no parameter has. It stays as it is.
    PLACEHOLDER_UNKNOWN = "placeholder-unknown";
    /// A placeholder's parameter has neither a value nor a default. The placeholder stays as it is.
    ARGUMENT_MISSING = "argument-missing";
    /// A value has a name that no parameter has. It is not used.
    ARGUMENT_UNDECLARED = "argument-undeclared";
    /// A parameter is declared twice. The first one counts.
    PARAMETER_DUPLICATE = "parameter-duplicate";
    /// A parameter has a name that no placeholder can have.
    PARAMETER_INVALID = "parameter-invalid";
    /// The values would add more than [`crate::substitute::MAX_INSERTED_BYTES`]. What is left stays.
    INSERTED_TOO_LARGE = "inserted-too-large";
    /// A comment of the frontmatter, which writing it anew would drop.
    COMMENT_LOST = "comment-lost";
}
