//! Texts of a result that are moved apart from it.

use prowess_core::{Content, MisfitTexts, ResultTexts, ToolResult};

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
