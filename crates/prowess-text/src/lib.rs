//! Encodes untrusted text, with one encoder for each destination.
//!
//! ```
//! use prowess_text::{Boundary, model_body, quoted, terminal_line, xml_element};
//!
//! assert_eq!(xml_element("a < b"), "a &lt; b");
//! assert_eq!(terminal_line("\u{1b}[2J"), r"\u{1b}[2J");
//! assert_eq!(quoted("pdf\u{202e}"), r"`pdf\u{202e}`");
//! let boundary = Boundary::new("5f3a9c1e77b04d28");
//! assert_eq!(model_body("</skill_content>", &boundary), "&lt;/skill_content>");
//! ```
//!
//! Names, descriptions, bodies and file names of skills are untrusted. Text that is safe in one
//! destination is not safe in another, so each destination has exactly one function here, and no
//! other crate defines an encoder (`cargo xtask tidy` checks this):
//!
//! | destination | function |
//! |---|---|
//! | content of an XML element | [`xml_element`], [`push_xml_element`], [`push_xml_line`] |
//! | a name in front of a colon, or between backticks | [`push_xml_label`], [`push_xml_code`] |
//! | value of an XML attribute | [`xml_attribute`] |
//! | body in a model's message | [`model_body`], [`wrap_body`] |
//! | description in a list of lines | [`push_model_line`] |
//! | strings of a JSON value that a model reads | [`model_value`] |
//! | a JSON string in the text of a prompt | [`push_json_string`] |
//! | a name or a sentence inside one of our sentences | [`quoted`], [`clipped`], [`enumerated`] |
//! | what a person decides on | [`head_and_tail`], [`marked_lines`] |
//! | names that look alike, inside a sentence | [`ascii_only`] |
//! | a terminal | [`terminal_line`], [`terminal_lines`] |
//! | a page of HTML that a person decides by | [`html`] |
//! | JSON that is printed on a terminal | [`terminal_json`] |
//! | one word of a shell command, or a path in it | [`shell_word`], [`shell_path`] |
//! | Markdown | [`markdown_code`], [`markdown_block`] |
//!
//! [`counted`] writes a number with its noun, so that no message has `1 files`.
//!
//! [`is_invisible`] is the only definition of an invisible character, and [`GUARDED_TAGS`] is the
//! only list of tags that a body must not contain.
//!
//! This crate reads nothing and decides nothing: no I/O, no policies, no randomness.
#![forbid(unsafe_code)]

mod ascii;
mod boundary;
mod bytes;
mod count;
mod declare_kinds;
mod guard;
mod html;
mod invisible;
mod json;
mod lines;
mod markdown;
mod model;
mod sentence;
mod shell;
mod spelling;
mod terminal;
mod xml;

pub use ascii::ascii_only;
pub use boundary::Boundary;
pub use count::{counted, plural};
pub use guard::GUARDED_TAGS;
pub use html::html;
pub use invisible::{
    find_invisible, has_invisible, is_invisible, is_printable_ascii, loses_characters,
};
pub use json::{push_json_string, terminal_json};
pub use lines::{is_exact, is_one_line, is_shown_exactly, one_line, visible_lines};
pub use markdown::{markdown_block, markdown_code};
pub use model::{model_body, model_value, push_model_line, wrap_body};
pub use sentence::{clipped, enumerated, head_and_tail, marked_lines, quoted};
pub use shell::{shell_path, shell_word};
pub use terminal::{terminal_line, terminal_lines};
pub use xml::{
    push_xml_code, push_xml_element, push_xml_label, push_xml_line, xml_attribute, xml_element,
    xml_entities,
};
