//! Lines and indentation: collections as blocks, two blanks deeper each.

use crate::for_message;

use super::content::Content;
use super::scalar;
use crate::error::WriteError;

/// How much deeper the inside of a collection stands.
const STEP: usize = 2;

/// The most bytes of a written key. Readers look for the colon in 1,024 characters from the line's
/// first key on, so blanks and quotes count.
const MAX_KEY_BYTES: usize = 1000;

/// The lines between the fences.
pub(super) fn frontmatter(fields: &[(&str, Content<'_>)]) -> Result<String, WriteError> {
    let mut writer = Writer::default();
    writer.map(fields, 0, false)?;
    Ok(writer.text)
}

#[derive(Default)]
struct Writer {
    text: String,
}

impl Writer {
    /// Writes each field on a line of its own. `is_begun` says that the first line already stands
    /// where it must, behind the hyphen of a list.
    fn map(
        &mut self,
        fields: &[(&str, Content<'_>)],
        indent: usize,
        is_begun: bool,
    ) -> Result<(), WriteError> {
        for (number, (key, value)) in fields.iter().enumerate() {
            if number > 0 || !is_begun {
                self.blanks(indent);
            }
            self.key(key)?;
            self.value_of_key(value, indent + STEP)?;
        }
        Ok(())
    }

    fn key(&mut self, key: &str) -> Result<(), WriteError> {
        let start = self.text.len();
        scalar::key(&mut self.text, key);
        if self.text.len() - start > MAX_KEY_BYTES {
            return Err(WriteError::KeyTooLong(for_message(key)));
        }
        self.text.push(':');
        Ok(())
    }

    fn value_of_key(&mut self, value: &Content<'_>, indent: usize) -> Result<(), WriteError> {
        match value {
            Content::List(items) if !items.is_empty() => {
                self.text.push('\n');
                self.list(items, indent, false)
            }
            Content::Map(fields) if !fields.is_empty() => {
                self.text.push('\n');
                self.map(fields, indent, false)
            }
            _ => {
                self.inline(value, indent);
                Ok(())
            }
        }
    }

    fn list(
        &mut self,
        items: &[Content<'_>],
        indent: usize,
        is_begun: bool,
    ) -> Result<(), WriteError> {
        for (number, item) in items.iter().enumerate() {
            if number > 0 || !is_begun {
                self.blanks(indent);
            }
            self.text.push('-');
            self.item(item, indent + STEP)?;
        }
        Ok(())
    }

    fn item(&mut self, item: &Content<'_>, indent: usize) -> Result<(), WriteError> {
        match item {
            Content::List(items) if !items.is_empty() => {
                self.text.push(' ');
                self.list(items, indent, true)
            }
            Content::Map(fields) if !fields.is_empty() => {
                self.text.push(' ');
                self.map(fields, indent, true)
            }
            _ => {
                self.inline(item, indent);
                Ok(())
            }
        }
    }

    /// Ends a line with a value that is no block of collections.
    fn inline(&mut self, value: &Content<'_>, indent: usize) {
        match value {
            Content::Text(text) => {
                self.text.push(' ');
                scalar::value(&mut self.text, text, indent);
            }
            Content::Bare("") => {}
            Content::Bare(text) => {
                self.text.push(' ');
                self.text.push_str(text);
            }
            Content::List(_) => self.text.push_str(" []"),
            Content::Map(_) => self.text.push_str(" {}"),
        }
        // A block has its last line end already, or none that is its own.
        if !self.text.ends_with('\n') {
            self.text.push('\n');
        }
    }

    fn blanks(&mut self, count: usize) {
        self.text.extend(std::iter::repeat_n(' ', count));
    }
}
