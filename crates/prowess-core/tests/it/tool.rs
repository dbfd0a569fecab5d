//! Tests of the content of tool results.

use prowess_core::Content;

#[test]
fn content_is_read_as_it_is_written() {
    let text = Content::Text { text: "a".to_owned() };
    let blob = |uri: Option<&str>| Content::Blob {
        mime_type: "image/png".to_owned(),
        data: "AAAA".to_owned(),
        uri: uri.map(str::to_owned),
    };
    for content in [text, blob(None), blob(Some("skill://pdf/form.png"))] {
        let written = serde_json::to_string(&content).expect("it is JSON");
        assert_eq!(serde_json::from_str::<Content>(&written).ok(), Some(content), "{written}");
    }
    let later = r#"{"later": 1, "text": "a", "type": "text"}"#;
    let read = serde_json::from_str::<Content>(later).ok();
    assert_eq!(read, Some(Content::Text { text: "a".to_owned() }), "other fields are ignored");
}

#[test]
fn incomplete_content_is_an_error() {
    let incomplete = [
        (r#"{"text": "a"}"#, "missing field `type`"),
        (r#"{"type": "text"}"#, "missing field `text`"),
        (r#"{"type": "blob", "data": ""}"#, "missing field `mime_type`"),
        (r#"{"type": "blob", "mime_type": ""}"#, "missing field `data`"),
        (r#"{"type": "image"}"#, "unknown variant `image`"),
    ];
    for (written, reason) in incomplete {
        let error = serde_json::from_str::<Content>(written).expect_err(written).to_string();
        assert!(error.contains(reason), "{written}: {error}");
    }
}
