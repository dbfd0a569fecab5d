//! The texts of a tool's result, apart from its other parts.

use thiserror::Error;

use crate::tool::{Content, ToolResult};

/// The length from which a result's texts are moved apart from it. Shorter ones cost less as JSON.
const MIN_BYTES: usize = 512;

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

#[cfg(test)]
mod tests {
    use super::*;

    /// A result with two texts and a blob between them.
    fn result() -> ToolResult {
        let mut result = ToolResult::text("ä".repeat(400));
        let (mime_type, data) = ("image/png".to_owned(), "AAAA".to_owned());
        result.content.push(Content::Blob { mime_type, data, uri: None });
        result.content.push(Content::Text { text: "end".to_owned() });
        result
    }

    #[test]
    fn texts_are_moved_and_put_back() {
        let mut moved = result();
        let texts = ResultTexts::take(&mut moved, 803).expect("they are long enough");
        assert_eq!(texts.lengths, [800, 3]);
        assert!(moved.texts().all(str::is_empty), "nothing stays");
        ResultTexts::put(&mut moved, &texts.lengths, &texts.text).expect("they fit");
        assert_eq!(moved, result());
    }

    #[test]
    fn short_and_too_long_texts_stay() {
        let mut short = ToolResult::text("short");
        assert_eq!(ResultTexts::take(&mut short, usize::MAX), None);
        assert_eq!(short, ToolResult::text("short"));
        let mut long = result();
        assert_eq!(ResultTexts::take(&mut long, 802), None);
        assert_eq!(long, result());
    }

    #[test]
    fn texts_that_do_not_fit_are_an_error() {
        let mut empty = result();
        let texts = ResultTexts::take(&mut empty, usize::MAX).expect("they are long enough").text;
        let wrong: [&[usize]; 7] =
            [&[], &[803], &[800, 4], &[800, 2], &[800, 3, 0], &[799, 4], &[usize::MAX, usize::MAX]];
        for lengths in wrong {
            let put = ResultTexts::put(&mut empty.clone(), lengths, &texts);
            assert_eq!(put, Err(MisfitTexts), "{lengths:?}");
        }
        let put = ResultTexts::put(&mut result(), &[800, 3], &texts);
        assert_eq!(put, Err(MisfitTexts), "the result has texts of its own");
    }
}
