//! How texts and locations of skills are delivered to a model.

use std::borrow::Cow;
use std::fmt::Write as _;

use prowess_text::{Boundary, model_body, xml_element};
use serde::{Deserialize, Serialize};

/// The policy for delivering texts of skills to a model. The prompt and the tools use the same
/// value, so that each body is delivered exactly once and no part shows a location that another one
/// hides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DeliveryPolicy {
    /// The destination of a loaded body. By default, the instructions.
    pub bodies: BodyDelivery,
    /// The form of locations. By default, absolute paths.
    pub show_location: ShowLocation,
    /// The element around a body. By default, one that no body can end.
    pub tags: BodyTags,
    /// How much of the bodies is delivered again after the host has compacted a conversation. No
    /// key of a file: only a host compacts a conversation.
    #[serde(skip)]
    pub reinjection: ReinjectionBudget,
}

/// The budget of the bodies that are delivered again after a compaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReinjectionBudget {
    /// The maximum number of tokens of one skill. By default 5,000.
    pub skill_tokens: usize,
    /// The maximum number of tokens of all skills. By default 25,000.
    pub total_tokens: usize,
}

impl Default for ReinjectionBudget {
    fn default() -> Self {
        Self { skill_tokens: 5_000, total_tokens: 25_000 }
    }
}

/// The destination of a loaded body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BodyDelivery {
    /// In the instructions of the next model call. The default.
    #[default]
    Instructions,
    /// In the result of the call that loads it, for clients whose instructions cannot change.
    ToolResult,
    /// In the result of the call that loads it, and in the instructions once a compaction has
    /// removed that result: never in both.
    BothOnce,
}

/// The element around a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BodyTags {
    /// Tags with a secret of the session, in which a body stands as it was written. The default.
    #[default]
    Boundary,
    /// `<skill name="…">`, in the instructions of a catalog of attributes with the role of the
    /// skill. The body is escaped, so that it cannot end the element, and code in it is, too.
    Skill,
}

impl BodyTags {
    /// Encodes a body for the element around it. Nothing encodes it again: a model would see
    /// entities of entities. Hidden, because a host has it from the crates that write bodies.
    #[doc(hidden)]
    pub fn encode<'t>(self, body: &'t str, boundary: &Boundary) -> Cow<'t, str> {
        match self {
            Self::Boundary => model_body(body, boundary),
            Self::Skill => xml_element(body),
        }
    }
}

impl BodyDelivery {
    /// Returns whether the result of the call that loads a skill has its body.
    pub fn is_in_result(self) -> bool {
        self != Self::Instructions
    }

    /// Returns whether the instructions may change from call to call.
    pub fn has_instructions(self) -> bool {
        self != Self::ToolResult
    }
}

/// The form in which a model sees the location of a skill: in the catalog, in receipts, next to
/// bodies and in errors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ShowLocation {
    /// An absolute path or URL. The default.
    #[default]
    Absolute,
    /// The skill's id, for agents without a file system.
    Id,
    /// A URI without paths of the host: `skill://pdf/SKILL.md`. The skill tools accept it.
    Virtual,
    /// No location.
    None,
}

impl ShowLocation {
    /// Returns the location of a skill's file as a model sees it. `absolute` returns its absolute
    /// path or URL.
    pub fn file<'a>(
        self,
        id: &'a str,
        file: &str,
        absolute: impl FnOnce() -> Cow<'a, str>,
    ) -> Option<Cow<'a, str>> {
        match self {
            Self::Absolute => Some(absolute()),
            Self::Id => Some(Cow::Borrowed(id)),
            Self::Virtual => Some(Cow::Owned(virtual_uri(id, file))),
            Self::None => None,
        }
    }

    /// Returns the directory of a skill as a model sees it. `absolute` is its absolute path or URL.
    pub fn directory<'a>(self, id: &'a str, absolute: &'a str) -> Option<Cow<'a, str>> {
        match self {
            Self::Absolute => Some(Cow::Borrowed(absolute)),
            Self::Id => Some(Cow::Borrowed(id)),
            Self::Virtual => Some(Cow::Owned(virtual_uri(id, ""))),
            Self::None => None,
        }
    }
}

/// The scheme of a skill's virtual URI.
const SCHEME: &str = "skill://";

/// Returns the URI of a skill's file, without any path of the host:
/// `skill://pdf/references/guide.md`. An empty path stands for the skill's directory:
/// `skill://pdf`.
///
/// ```
/// use prowess_core::virtual_uri;
///
/// assert_eq!(virtual_uri("my skill", "a/b c.md"), "skill://my%20skill/a/b%20c.md");
/// ```
pub fn virtual_uri(id: &str, path: &str) -> String {
    let mut uri = SCHEME.to_owned();
    push_encoded(&mut uri, id, "");
    if !path.is_empty() {
        uri.push('/');
        push_encoded(&mut uri, path, "/");
    }
    uri
}

fn push_encoded(uri: &mut String, text: &str, kept: &str) {
    for byte in text.bytes() {
        match char::from(byte) {
            letter if letter.is_ascii_alphanumeric() => uri.push(letter),
            sign if "-._~".contains(sign) || kept.contains(sign) => uri.push(sign),
            _ => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
}

/// Returns the id and the path of a virtual URI: the reverse of [`virtual_uri`]. Returns `None` for
/// any other text.
pub fn parse_virtual_uri(uri: &str) -> Option<(String, String)> {
    let rest = uri.strip_prefix(SCHEME)?;
    let (id, path) = rest.split_once('/').unwrap_or((rest, ""));
    Some((decoded(id)?, decoded(path)?)).filter(|(id, _)| !id.is_empty())
}

fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut parts = text.split('%');
    bytes.extend_from_slice(parts.next()?.as_bytes());
    for part in parts {
        let (digits, rest) = part.split_at_checked(2)?;
        let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        bytes.push(u8::from_str_radix(digits, 16).ok().filter(|_| is_hex)?);
        bytes.extend_from_slice(rest.as_bytes());
    }
    String::from_utf8(bytes).ok()
}
