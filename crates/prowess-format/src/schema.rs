//! The frontmatter of each profile as a JSON Schema, for editors and for programs that have no
//! parser of ours.
//!
//! The schema asks for what the profile makes an error, by the tables and bounds that reading uses,
//! and accepts the rest. It looks at values as a reader of YAML 1.2 gives them, so `name: 42` is a
//! number, which only some profiles take for a name.
//!
//! A schema cannot say, and so accepts or refuses otherwise than reading does:
//!
//! - that the name is the directory's, and that names are compared in NFKC: it refuses a name of
//!   full width letters that reading takes for `pdf`;
//! - under the lenient profile, that no word of a name mixes scripts that look alike, and that a
//!   reserved name in another spelling is reserved too;
//! - that brackets of `allowed-tools` pair up, and how long the items of a list are together;
//! - how long a description is without the blanks around it;
//! - how a value is written: it takes `license: null` for no licence, where a checker wants quotes,
//!   takes `True` and `0x10` where only `true` and `16` are meant, and knows the truth values
//!   (`yes`) and dates of older readers no more than its reader does;
//! - in an extension's field, whether a quoted number is in range, and that no two items share a
//!   name;
//! - anything of YAML itself, such as a key that is there twice, and anything of the body.

mod extension;
mod text;

use serde_json::{Map, Value, json};

use crate::allowed_tools::MAX_ALLOWED_TOOLS_CHARACTERS;
use crate::name::reserved;
use crate::{Code, Limit, Profile, Rules, Severity, codes};

use text::{Loose, TextRule};

/// The JSON Schema (draft 2020-12) of a profile's frontmatter.
///
/// Deterministic: the same profile gives the same document, key for key.
pub fn frontmatter(profile: Profile) -> Value {
    frontmatter_with(&Rules::of(profile))
}

/// The JSON Schema of the frontmatter that reading by these rules accepts; see [`frontmatter`].
///
/// The fields of the rules' extensions are part of it, with what their values must be. Names are
/// asked for by the rule of agentskills.io, whatever rule was chosen; the limits are the rules'
/// own.
pub fn frontmatter_with(rules: &Rules) -> Value {
    let profile = rules.profile;
    let asked = Asked(rules);
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": format!("urn:prowess:frontmatter:{profile}"),
        "title": format!("Frontmatter of a SKILL.md, profile {profile}"),
        "description": "The fields between the two `---` lines of a SKILL.md, the file that makes a folder an Agent Skill.",
        "type": "object",
        "required": asked.required(),
        "properties": asked.properties(),
        "additionalProperties": !asked.forbids(&codes::UNKNOWN_FIELD),
    })
}

/// The names of agentskills.io.
const NAME: &str = "^[a-z0-9]+(-[a-z0-9]+)*$";

/// The names that are accepted with a warning: one line with a letter or a digit.
const RELAXED: &str = r"^\s*[^\n\r\t]*[\p{L}\p{N}\p{M}][^\n\r\t]*\s*$";

/// The rules, asked for the codes that they make errors.
struct Asked<'r>(&'r Rules);

impl Asked<'_> {
    fn forbids(&self, code: &Code) -> bool {
        self.0.profile.severity(code) == Some(Severity::Error)
    }

    /// A limit, where going over it is an error.
    fn bound(&self, code: &Code, limit: Limit) -> Option<usize> {
        let severity = limit.severity.or(self.0.profile.severity(code));
        (severity == Some(Severity::Error)).then_some(limit.max)
    }

    fn required(&self) -> Vec<&'static str> {
        let fields = [("name", codes::NAME_MISSING), ("description", codes::DESCRIPTION_MISSING)];
        let fields = fields.into_iter().filter(|(_, code)| self.forbids(code));
        let fields = fields.map(|(field, _)| field);
        fields.filter(|field| *field == "name" || !self.has_stand_in()).collect()
    }

    /// Returns whether the first paragraph of the body stands in for a missing description.
    fn has_stand_in(&self) -> bool {
        self.0.profile.severity(&codes::DESCRIPTION_FROM_BODY).is_some()
    }

    fn properties(&self) -> Map<String, Value> {
        let mut properties = Map::new();
        let mut add = |key: &str, schema| properties.insert(key.to_owned(), schema);
        add("name", self.name());
        add("description", self.description());
        add("license", self.license());
        add("compatibility", self.compatibility());
        add("metadata", self.metadata());
        add("allowed-tools", self.allowed_tools());
        if !self.forbids(&codes::ALLOWED_TOOLS_ALIAS) {
            add("allowed_tools", self.allowed_tools_alias());
        }
        if !self.forbids(&codes::UNKNOWN_FIELD) {
            add("tags", tags());
            add("priority", priority());
        }
        self.add_extensions(&mut properties);
        properties
    }

    /// The fields beside the standard's, each with what it may be to the extensions that declare
    /// it.
    fn add_extensions(&self, properties: &mut Map<String, Value>) {
        let is_checked = self.forbids(&codes::EXTENSION_FIELD_TYPE);
        for (path, declared) in extension::fields(&self.0.extensions) {
            let inner = path.strip_prefix("metadata.");
            let place = match inner {
                Some(_) => {
                    let metadata = &mut properties["metadata"]["properties"];
                    if metadata.is_null() {
                        *metadata = json!({});
                    }
                    metadata.as_object_mut().expect("it was made one")
                }
                None if self.forbids(&codes::EXTENSION_FIELD) => continue,
                None => &mut *properties,
            };
            let schema = extension::schema(&declared, is_checked);
            extension::merge(place, inner.unwrap_or(path), schema);
        }
    }

    /// Returns which values a field accepts that some parsers do not read as strings.
    fn loose(&self, accepted: Loose) -> Loose {
        if self.forbids(&codes::PLAIN_NOT_TEXT) { Loose::None } else { accepted }
    }

    fn name(&self) -> Value {
        let is_relaxed = self.0.relaxes_names();
        let rule = TextRule {
            pattern: Some(if is_relaxed { RELAXED } else { NAME }.to_owned()),
            max_length: self.bound(&codes::NAME_TOO_LONG, self.0.limits.name_characters),
            forbidden: if self.forbids(&codes::NAME_RESERVED) { reserved() } else { Vec::new() },
            is_visible: is_relaxed,
            loose: self.loose(if is_relaxed { Loose::Scalars } else { Loose::Words }),
            ..TextRule::default()
        };
        rule.schema(
            "The skill's name, which is also its directory's: 1 to 64 of `a` to `z`, `0` to `9` and single hyphens between them.",
            &[json!("pdf-processing"), json!("code-review")],
        )
    }

    fn description(&self) -> Value {
        let rule = TextRule {
            pattern: (!self.has_stand_in()).then(|| "\\S".to_owned()),
            is_optional: self.has_stand_in(),
            max_length: self
                .bound(&codes::DESCRIPTION_TOO_LONG, self.0.limits.description_characters),
            is_visible: self.forbids(&codes::HIDDEN_CHARACTER),
            loose: self.loose(Loose::Scalars),
            ..TextRule::default()
        };
        rule.schema(
            "What the skill does and when to use it, in at most 1,024 characters. It is all that a model sees before it loads the skill, so name the words and files that call for it.",
            &[json!("Fills in and merges PDF forms. Use when the user has a PDF or speaks of forms.")],
        )
    }

    fn license(&self) -> Value {
        self.optional(None).schema(
            "The licence's name, or the file that has its text.",
            &[json!("Apache-2.0"), json!("Proprietary. See LICENSE.txt")],
        )
    }

    fn compatibility(&self) -> Value {
        let limit = self.0.limits.compatibility_characters;
        self.optional(self.bound(&codes::COMPATIBILITY_TOO_LONG, limit)).schema(
            "What the skill needs around it, in at most 500 characters: a client, programs, the network. Most skills need no such field.",
            &[json!("Needs git and access to the network")],
        )
    }

    fn optional(&self, max_length: Option<usize>) -> TextRule {
        TextRule {
            max_length,
            loose: self.loose(Loose::Scalars),
            is_optional: true,
            accepts_all_kinds: !self.forbids(&codes::FIELD_NOT_TEXT),
            ..TextRule::default()
        }
    }

    fn metadata(&self) -> Value {
        let mut schema = json!({
            "description": "Anything else that a client may want to know, one `key: value` line each. Values should be texts: quote versions and numbers.",
            "examples": [{ "version": "1.0", "author": "A. Person" }],
        });
        if self.forbids(&codes::METADATA_NOT_MAPPING) {
            schema["type"] = json!(["object", "null"]);
        }
        schema
    }

    fn allowed_tools(&self) -> Value {
        let mut schema = json!({
            "description": "The tools that the skill speaks of, with blanks between them and patterns for their arguments in brackets. What it means is the client's policy.",
            "examples": ["Read Grep Bash(git:*)"],
        });
        if self.forbids(&codes::ALLOWED_TOOLS_MALFORMED) {
            let scalars = json!(["string", "number", "boolean", "null"]);
            schema["type"] = json!(["string", "number", "boolean", "null", "array"]);
            schema["items"] = json!({ "type": scalars });
        }
        if let Some(most) =
            self.bound(&codes::ALLOWED_TOOLS_TOO_LONG, Limit::of(MAX_ALLOWED_TOOLS_CHARACTERS))
        {
            schema["maxLength"] = json!(most);
        }
        schema
    }

    fn allowed_tools_alias(&self) -> Value {
        let mut schema = self.allowed_tools();
        schema["description"] = json!("Write `allowed-tools`, which every client reads.");
        schema["deprecated"] = json!(true);
        schema
    }
}

fn tags() -> Value {
    json!({
        "description": "Words to find the skill by: a list, or a text with commas between them. Not a field of the specification.",
        "examples": [["pdf", "forms"]],
    })
}

fn priority() -> Value {
    json!({
        "description": "Which of two skills with one name is used: the one with the higher number. A whole number from -999 to 999. Not a field of the specification.",
        "default": 0,
    })
}
