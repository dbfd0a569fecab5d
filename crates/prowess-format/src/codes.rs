//! The codes of findings about a single `SKILL.md`: reading it, writing it, and putting arguments
//! into its body. [`crate::Profile::severity`] returns the severity of each, [`explain`] its
//! meaning.
//!
//! A code belongs here if the file is malformed, cut or read otherwise than it is written, so
//! that every reader reports it. Advice for authors and findings about a whole package belong to
//! `prowess-lint`.

mod example;
mod page;

use crate::{Code, CodeEntry, Diagnostic};

pub use page::{page, reference};

/// The meaning of a code, with an example that produces it.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The code.
    pub code: Code,
    /// The meaning, in a sentence.
    pub meaning: String,
    /// A file that produces the code, or a description of one that is too large to show.
    /// Invisible characters are escaped.
    pub example: String,
    /// The finding about the example, under the first of [`Profile::ALL`](crate::Profile::ALL)
    /// that reports it. `None` if only a failing source produces it.
    pub diagnostic: Option<Diagnostic>,
}

/// Explains one of [`ALL`].
///
/// ```
/// use prowess_format::codes;
///
/// let explanation = codes::explain(&codes::NAME_MISSING).expect("a code of this module");
/// assert_eq!(explanation.meaning, "There is no `name`.");
/// let diagnostic = explanation.diagnostic.expect("the example produces the code");
/// assert_eq!(diagnostic.code, codes::NAME_MISSING);
/// ```
pub fn explain(code: &Code) -> Option<Explanation> {
    let CodeEntry { meaning, .. } = ALL.iter().find(|entry| entry.code == *code)?;
    let example = example::of(code)?;
    Some(Explanation {
        code: code.clone(),
        meaning: meaning.replace("[`crate::", "`").replace("`]", "`"),
        diagnostic: Some(example.diagnostic(code)?),
        example: example.show(),
    })
}

crate::declare_codes! {
    [lenient extended spec strict skills_ref]
    /// The file is larger than 2 MiB, the size limit of a `SKILL.md`; it is not read.
    FILE_TOO_LARGE = "file-too-large" [error error error error error];
    /// The file is empty.
    FILE_EMPTY = "file-empty" [error error error error error];
    /// A byte is not part of UTF-8 text.
    NOT_UTF8 = "not-utf8" [error error error error error];
    /// The body holds U+0000, which no model gets to see.
    NUL_IN_BODY = "nul-in-body" [warn error error error error];
    /// The frontmatter holds U+0000.
    NUL_BYTE = "nul-byte" [error error error error error];
    /// The file begins with a byte order mark.
    BYTE_ORDER_MARK = "byte-order-mark" [hint hint hint hint error];
    /// The file does not start with a `---` line. Claude Code takes the name of the directory and
    /// the first paragraph instead.
    FRONTMATTER_MISSING = "frontmatter-missing" [error error error error error];
    /// Blanks or comments stand before the opening `---`. The frontmatter is read all the same.
    FRONTMATTER_NOT_FIRST = "frontmatter-not-first" [warn error error error error];
    /// No later line closes the frontmatter.
    FRONTMATTER_UNCLOSED = "frontmatter-unclosed" [error error error error error];
    /// A line `...` closes the frontmatter, which most clients do not accept.
    FRONTMATTER_CLOSED_BY_DOTS = "frontmatter-closed-by-dots" [warn error error error error];
    /// A `---` shares its line with text. Where that is the closing one, the frontmatter ends at
    /// the first `---`.
    FRONTMATTER_FENCE_IN_TEXT = "frontmatter-fence-in-text" [warn error error error error];
    /// The frontmatter is larger than 64 KiB, the size limit of a frontmatter.
    FRONTMATTER_TOO_LARGE = "frontmatter-too-large" [error error error error error];
    /// The frontmatter is a list or a text, not a mapping.
    FRONTMATTER_NOT_MAPPING = "frontmatter-not-mapping" [error error error error error];
    /// The frontmatter is not valid YAML.
    YAML_INVALID = "yaml-invalid" [error error error error error];
    /// The frontmatter has an anchor (`&name`).
    YAML_ANCHOR = "yaml-anchor" [error error error error error];
    /// The frontmatter has an alias (`*name`).
    YAML_ALIAS = "yaml-alias" [error error error error error];
    /// The frontmatter has a tag (`!name`).
    YAML_TAG = "yaml-tag" [error error error error error];
    /// The frontmatter has a merge key (`<<`).
    YAML_MERGE_KEY = "yaml-merge-key" [error error error error error];
    /// A mapping has the same key twice, quoted or not.
    YAML_DUPLICATE_KEY = "yaml-duplicate-key" [error error error error error];
    /// A key is a list or a mapping.
    YAML_COMPLEX_KEY = "yaml-complex-key" [error error error error error];
    /// The frontmatter has a document marker or a second document.
    YAML_MULTIPLE_DOCUMENTS = "yaml-multiple-documents" [error error error error error];
    /// Collections are nested deeper than 16 levels.
    YAML_TOO_DEEP = "yaml-too-deep" [error error error error error];
    /// The frontmatter has more than 10,000 keys and values.
    YAML_TOO_MANY_NODES = "yaml-too-many-nodes" [error error error error error];
    /// An unquoted value contains `: `, which YAML reads as another key. It is read as if it were
    /// quoted.
    UNQUOTED_COLON = "unquoted-colon" [warn error error error error];
    /// A text is a list or a mapping to YAML, as by a bracket at its start. It is read as text.
    FLOW_FOR_TEXT = "flow-for-text" [warn error error error error];
    /// A quote is not closed before the next key. It is read as if it were closed.
    QUOTE_UNCLOSED = "quote-unclosed" [warn error error error error];
    /// A text begins with a sign that has a meaning in YAML, such as `*` or `@`, or goes on
    /// behind a closing quote. It is read as text, as it is written.
    TEXT_UNQUOTED = "text-unquoted" [warn error error error error];
    /// A value goes on in a line that is not indented, or less than the others, or by tabs; or
    /// blanks stand before a field. The line is read as a part of the value, or as the field.
    LINE_UNINDENTED = "line-unindented" [warn error error error error];
    /// A line ends with a carriage return or another rare line break. It is read as a line end.
    LINE_BREAK_RARE = "line-break-rare" [warn error error error error];
    /// The value of a field is not the YAML that is read here, or a line is no field. The value is
    /// read as one text, which a tag `!!str` or an anchor is no part of; a name is lost, a list of
    /// tools is empty, and a switch hides the skill. The line is left out.
    FIELD_UNREADABLE = "field-unreadable" [warn error error error error];
    /// A key is there twice. The last value is used, as by PyYAML; of two values, a list of tools
    /// is empty, and a switch hides the skill.
    KEY_REPEATED = "key-repeated" [warn error error error error];
    /// The instructions are in `skill.md`, not in `SKILL.md`.
    INSTRUCTIONS_FILE_CASE = "instructions-file-case" [hint hint hint error none];
    /// There is no `name`.
    NAME_MISSING = "name-missing" [error error error error error];
    /// `name` has no text.
    NAME_EMPTY = "name-empty" [error error error error error];
    /// `name` is a list or a mapping.
    NAME_NOT_TEXT = "name-not-text" [error error error error error];
    /// There is no `name`, or it is no text. The name of the directory is used.
    NAME_FROM_DIRECTORY = "name-from-directory" [warn none none none none];
    /// `name` does not match the grammar of names. It is accepted, and its slug is the id.
    NAME_RELAXED = "name-relaxed" [warn none none none none];
    /// `name` does not match the grammar of names.
    NAME_INVALID = "name-invalid" [error error error error error];
    /// `name` is valid by the chosen rule, but not by that of agentskills.io.
    NAME_NOT_STANDARD = "name-not-standard" [warn warn warn warn none];
    /// `name` is valid by the rule of agentskills.io, but not by another that clients use.
    NAME_NOT_PORTABLE = "name-not-portable" [hint warn hint hint none];
    /// `name` is longer than 64 characters.
    NAME_TOO_LONG = "name-too-long" [warn error error error error];
    /// `name` is reserved by a tool, the runtime or an operating system. Where it is accepted,
    /// the id has a word more.
    NAME_RESERVED = "name-reserved" [warn error error error none];
    /// `name` is not the name of the package's directory.
    NAME_DIRECTORY_MISMATCH = "name-directory-mismatch" [warn warn error error error];
    /// There is no `description`.
    DESCRIPTION_MISSING = "description-missing" [error error error error error];
    /// There is no `description`. The first paragraph of the body is used.
    DESCRIPTION_FROM_BODY = "description-from-body" [none none none none none];
    /// `description` has no text.
    DESCRIPTION_EMPTY = "description-empty" [error error error error error];
    /// `description` is a list or a mapping.
    DESCRIPTION_NOT_TEXT = "description-not-text" [error error error error error];
    /// `description` is longer than 1,024 characters.
    DESCRIPTION_TOO_LONG = "description-too-long" [warn error error error error];
    /// `description` starts or ends with blanks; it is read without them.
    DESCRIPTION_TRIMMED = "description-trimmed" [hint hint hint hint none];
    /// A ` #` ends the unquoted `description`: YAML reads the rest of the line as a comment.
    DESCRIPTION_CUT = "description-cut" [hint hint hint warn none];
    /// `compatibility` is longer than 500 characters. A document that makes its advice rules
    /// names this one among the warnings.
    COMPATIBILITY_TOO_LONG = "compatibility-too-long" [warn warn error warn error];
    /// `license` or `compatibility` is a list or a mapping; it is ignored.
    FIELD_NOT_TEXT = "field-not-text" [warn error error error error];
    /// `metadata` is not a mapping; it is ignored.
    METADATA_NOT_MAPPING = "metadata-not-mapping" [warn error error error none];
    /// A key of `metadata` is longer than 256 characters.
    METADATA_KEY_TOO_LONG = "metadata-key-too-long" [warn error error error none];
    /// An unquoted value that most YAML parsers read as a number, a date, a boolean or null.
    PLAIN_NOT_TEXT = "plain-not-text" [hint error error error none];
    /// `allowed-tools` is malformed; no tool is allowed.
    ALLOWED_TOOLS_MALFORMED = "allowed-tools-malformed" [warn error error error none];
    /// `allowed-tools` is longer than 2,048 characters; no tool is allowed.
    ALLOWED_TOOLS_TOO_LONG = "allowed-tools-too-long" [warn error error error none];
    /// The pattern of a rule is not of a form that is read, so the rule grants nothing.
    TOOL_PATTERN_INVALID = "tool-pattern-invalid" [warn warn warn warn none];
    /// A rule names files outside of the skill and the working directory, or, which `validate`
    /// alone reports, covers commands that reach some. A person is asked for those.
    TOOL_PATH_OUTSIDE = "tool-path-outside" [warn warn warn warn none];
    /// The field is spelled `allowed_tools`.
    ALLOWED_TOOLS_ALIAS = "allowed-tools-alias" [hint hint error error error];
    /// A field that the specification does not define.
    UNKNOWN_FIELD = "unknown-field" [none warn error error error];
    /// A field whose name is similar to one of the specification.
    MISSPELLED_FIELD = "misspelled-field" [warn warn error error error];
    /// A field of an extension, under a profile that accepts fields of the specification only.
    EXTENSION_FIELD = "extension-field" [none none error error error];
    /// The value of an extension's field is not of the declared type.
    EXTENSION_FIELD_TYPE = "extension-field-type" [warn error error error none];
    /// The value of an extension's field, or a key in it, is not one of the known words.
    EXTENSION_VALUE_UNKNOWN = "extension-value-unknown" [warn error error error none];
    /// The value of an extension's field is empty, out of range or not a word.
    EXTENSION_VALUE_INVALID = "extension-value-invalid" [warn error error error none];
    /// Two items of an extension's field have the same name.
    EXTENSION_DUPLICATE = "extension-duplicate" [warn error error error none];
    /// A path in an extension's field leaves the package.
    EXTENSION_PATH = "extension-path" [warn error error error none];
    /// An extension's field has no effect without another, or a switch has no value, which hides
    /// the skill.
    EXTENSION_FIELD_IDLE = "extension-field-idle" [warn warn warn warn none];
    /// `disable-model-invocation` or `user-invocable` is neither `true` nor `false`, or is
    /// misspelled. Unless it surely says otherwise, the skill is hidden.
    SWITCH_UNREADABLE = "switch-unreadable" [warn error error error none];
    /// `name` or `description` has an invisible character or one that changes the reading
    /// direction.
    HIDDEN_CHARACTER = "hidden-character" [warn warn warn error none];
    /// The body has more than 500 lines.
    BODY_TOO_LONG = "body-too-long" [warn warn warn error none];
    /// The body has no text.
    BODY_EMPTY = "body-empty" [hint hint hint hint none];
    /// A placeholder of the body names no parameter. It is not replaced.
    PLACEHOLDER_UNKNOWN = "placeholder-unknown" [warn warn warn warn warn];
    /// A placeholder's parameter has neither a value nor a default. The placeholder is not
    /// replaced.
    ARGUMENT_MISSING = "argument-missing" [warn warn warn warn warn];
    /// A value names no parameter. It is not used.
    ARGUMENT_UNDECLARED = "argument-undeclared" [warn warn warn warn warn];
    /// A parameter is declared twice. The first declaration is used.
    PARAMETER_DUPLICATE = "parameter-duplicate" [warn warn warn warn warn];
    /// The name of a parameter cannot be used in a placeholder.
    PARAMETER_INVALID = "parameter-invalid" [warn warn warn warn warn];
    /// The values would add more than 2 MiB. The other placeholders are not replaced.
    INSERTED_TOO_LARGE = "inserted-too-large" [error error error error error];
}
