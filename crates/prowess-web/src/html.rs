//! HTML that is written element by element.
//!
//! Names of elements and attributes are text of this crate. Everything else passes
//! [`prowess_text::html`] here, so no page can leave it out. Elements are closed as in XML, so that
//! a reader of XML takes a page, too.

use prowess_text::html;

/// Names and values of attributes.
pub(crate) type Attributes<'a> = &'a [(&'static str, &'a str)];

/// A page, or a part of one.
#[derive(Debug, Default)]
pub(crate) struct Html(String);

impl Html {
    /// Adds an element with content.
    pub(crate) fn element(
        &mut self,
        tag: &'static str,
        attributes: Attributes<'_>,
        content: impl FnOnce(&mut Self),
    ) {
        self.start(tag, attributes);
        self.0.push('>');
        content(self);
        self.0.push_str("</");
        self.0.push_str(tag);
        self.0.push('>');
    }

    /// Adds an element without content, such as `input`.
    pub(crate) fn empty(&mut self, tag: &'static str, attributes: Attributes<'_>) {
        self.start(tag, attributes);
        self.0.push_str("/>");
    }

    /// Adds an element with a text.
    pub(crate) fn line(&mut self, tag: &'static str, text: &str) {
        self.element(tag, &[], |html| html.text(text));
    }

    /// Adds an element of a class with a text.
    pub(crate) fn classed(&mut self, tag: &'static str, class: &str, text: &str) {
        self.element(tag, &[("class", class)], |html| html.text(text));
    }

    /// Adds a link.
    pub(crate) fn link(&mut self, target: &str, text: &str) {
        self.element("a", &[("href", target)], |html| html.text(text));
    }

    /// Adds a text.
    pub(crate) fn text(&mut self, text: &str) {
        self.0.push_str(&html(text));
    }

    /// Adds a part that was written before.
    pub(crate) fn part(&mut self, part: &Self) {
        self.0.push_str(&part.0);
    }

    /// Returns the number of bytes.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the document of this element `html`.
    pub(crate) fn into_document(self) -> String {
        format!("<!DOCTYPE html>\n{}\n", self.0)
    }

    fn start(&mut self, tag: &'static str, attributes: Attributes<'_>) {
        self.0.push('<');
        self.0.push_str(tag);
        for (name, value) in attributes {
            self.0.push(' ');
            self.0.push_str(name);
            self.0.push_str("=\"");
            // All pages are in one directory.
            if ["href", "action"].contains(name) && value.starts_with('/') {
                self.0.push('.');
            }
            self.0.push_str(&html(value));
            self.0.push('"');
        }
    }
}

/// Returns the length of the longest start of a text whose encoded form has at most so many bytes.
pub(crate) fn fitting(text: &str, most: usize) -> usize {
    let mut used = 0;
    for (at, character) in text.char_indices() {
        used += html(character.encode_utf8(&mut [0; 4])).len();
        if used > most {
            return at;
        }
    }
    text.len()
}

/// Returns the start of a text in at most so many encoded bytes, with an ellipsis if it is longer.
pub(crate) fn clipped(text: &str, most: usize) -> String {
    match fitting(text, most) {
        end if end < text.len() => format!("{}…", &text[..end]),
        _ => text.to_owned(),
    }
}
