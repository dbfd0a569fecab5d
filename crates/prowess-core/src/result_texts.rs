//! The texts of a tool's result, apart from its other parts.

use thiserror::Error;

use crate::tool::{Content, ToolResult};

/// The length from which a result's texts are moved apart from it. Shorter ones cost less as JSON.
const MIN_BYTES: usize = 128;

/// The texts of a result, which a boundary moves as they are: to escape a body in JSON and to read
/// it again takes longer than the call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResultTexts {
    /// The length in bytes of each text of the content, in order.
    pub lengths: Vec<usize>,
    /// The texts, one after the other.
    pub text: String,
}

/// Texts that are not those of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the texts do not fit the parts of the result")]
pub struct MisfitTexts;

impl ResultTexts {
    /// Moves the texts out of a result, where empty ones stay. Returns `None`, and leaves the
    /// result as it is, if they are short or longer than `most` bytes.
    pub fn take(result: &mut ToolResult, most: usize) -> Option<Self> {
        let length: usize = result.texts().map(str::len).sum();
        if length < MIN_BYTES || length > most {
            return None;
        }
        let mut taken = Self { lengths: Vec::new(), text: String::with_capacity(length) };
        for content in &mut result.content {
            if let Content::Text { text } = content {
                taken.lengths.push(text.len());
                taken.text += &std::mem::take(text);
            }
        }
        Some(taken)
    }

    /// Moves texts back into a result, whose own are empty.
    ///
    /// # Errors
    ///
    /// Returns an error if the result has another number of texts, one that is not empty, or if a
    /// length is not that of a text.
    pub fn put(
        result: &mut ToolResult,
        lengths: &[usize],
        mut texts: &str,
    ) -> Result<(), MisfitTexts> {
        let mut lengths = lengths.iter();
        for content in &mut result.content {
            if let Content::Text { text } = content {
                let length = *lengths.next().ok_or(MisfitTexts)?;
                let (own, others) = texts.split_at_checked(length).ok_or(MisfitTexts)?;
                if !text.is_empty() {
                    return Err(MisfitTexts);
                }
                own.clone_into(text);
                texts = others;
            }
        }
        let is_complete = lengths.next().is_none() && texts.is_empty();
        if is_complete { Ok(()) } else { Err(MisfitTexts) }
    }
}
