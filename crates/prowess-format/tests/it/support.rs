//! What the tests share.

use prowess_format::{
    Diagnostic, Directory, Head, Mapping, Parsed, Profile, Rules, Summarized, Summary, parse,
    summarize, summarize_with,
};

/// The rows of a table of cases.
#[track_caller]
pub(crate) fn rows<T: serde::de::DeserializeOwned>(json: &str) -> Vec<T> {
    serde_json::from_str(json).expect("JSON")
}

/// The codes of a file's findings.
pub(crate) fn codes(text: &[u8], profile: Profile) -> Vec<String> {
    let parsed = parse(text, profile);
    assert_sound(text, &parsed);
    parsed.diagnostics.iter().map(|found| found.code.to_string()).collect()
}

/// A file that has only the frontmatter's lines and a short body.
pub(crate) fn skill(yaml: &str) -> Vec<u8> {
    format!("---\n{yaml}---\nBody\n").into_bytes()
}

/// The summary and the findings of a whole file.
pub(crate) fn summarized<'f>(
    file: &'f [u8],
    directory: Option<Directory<'_>>,
    rules: &Rules,
) -> (Option<Summary<'f>>, Vec<Diagnostic>) {
    match summarize_with(Head { bytes: file, is_whole_file: true }, directory, rules) {
        Summarized::Done(summary, found) => (summary, found),
        Summarized::NeedsBytes(_) => panic!("a whole file needs no more bytes"),
    }
}

/// What holds of each result, whatever the bytes.
pub(crate) fn assert_sound(text: &[u8], parsed: &Parsed<'_>) {
    assert_eq!(
        parsed.document.is_none(),
        parsed.diagnostics.iter().any(Diagnostic::is_error),
        "a document is missing exactly when there is an error"
    );
    if let Some(document) = &parsed.document {
        let text = std::str::from_utf8(text).expect("a document comes of text");
        assert_mapping_lies_in(text, &document.frontmatter.fields);
    }
    for found in &parsed.diagnostics {
        assert!(!found.message.is_empty(), "a finding has a message");
        assert!(!found.help.is_empty(), "a finding has a help line");
        let span = found.span.clone().expect("a finding of a file has a place");
        assert!(span.start <= span.end && span.end <= text.len(), "a span lies in the file");
        if let Ok(text) = std::str::from_utf8(text) {
            assert!(
                text.is_char_boundary(span.start) && text.is_char_boundary(span.end),
                "a span lies on character boundaries"
            );
        }
    }
}

/// Each key and value stands inside the file, on character boundaries, the value behind its key.
fn assert_mapping_lies_in(text: &str, mapping: &Mapping) {
    for field in mapping.iter() {
        for span in [&field.key_span, &field.value_span] {
            assert!(text.get(span.clone()).is_some(), "{span:?} of `{}`", field.key);
        }
        assert!(
            field.key_span.end <= field.value_span.start,
            "the value of `{}` stands behind it",
            field.key
        );
        if let Some(mapping) = field.value.as_map() {
            assert_mapping_lies_in(text, mapping);
        }
    }
}

/// The summary of a whole file.
pub(crate) fn summary(text: &[u8], profile: Profile) -> String {
    summary_of(Head { bytes: text, is_whole_file: true }, profile).expect("it is whole")
}

/// The summary of a file, as one comparable text: what was read and what was found; or the number
/// of bytes that are needed.
pub(crate) fn summary_of(head: Head<'_>, profile: Profile) -> Result<String, usize> {
    match summarize(head, None, profile) {
        Summarized::NeedsBytes(bytes) => Err(bytes),
        Summarized::Done(summary, found) => {
            let found: Vec<_> = found.iter().map(ToString::to_string).collect();
            Ok(format!("{summary:?}\n{}", found.join("\n")))
        }
    }
}
