//! Any bytes, read under each profile: sound results, and a summary that says what the document says.
#![no_main]

use libfuzzer_sys::fuzz_target;
use prowess_format::{Head, Parsed, Profile, Summarized, parse, summarize};
use prowess_format_fuzz::assert_sound;

fuzz_target!(|file: &[u8]| {
    for profile in Profile::ALL {
        let parsed = parse(file, profile);
        assert_sound(file, &parsed);
        assert_summary_agrees(file, profile, parsed);
    }
    assert_asks_for_more(file);
});

/// Finding for finding: discovery must not list what loading refuses.
fn assert_summary_agrees(file: &[u8], profile: Profile, parsed: Parsed<'_>) {
    let head = Head { bytes: file, is_whole_file: true };
    let Summarized::Done(summary, found) = summarize(head, None, profile) else {
        panic!("a whole file needs no more bytes");
    };
    let is_of_body = |code: &str| code.starts_with("body-");
    // What stands behind the frontmatter may forbid the document; only the frontmatter is summarised.
    let is_cut = parsed.diagnostics.iter().any(|found| is_byte_problem(found.code.as_str()));
    if is_cut || parsed.diagnostics.len() == 100 {
        return;
    }
    let of_frontmatter: Vec<_> =
        parsed.diagnostics.into_iter().filter(|found| !is_of_body(found.code.as_str())).collect();
    assert_eq!(found, of_frontmatter, "the findings are the same, place for place");
    let Some(document) = parsed.document else { return };
    let summary = summary.expect("where a document is, a summary is");
    assert_eq!(summary.name, document.frontmatter.name, "the names are the same");
    assert_eq!(summary.description, document.frontmatter.description, "as are the descriptions");
}

fn is_byte_problem(code: &str) -> bool {
    matches!(code, "not-utf8" | "nul-byte")
}

/// A head that is cut is read to its end or asks for more, and never for what it has.
fn assert_asks_for_more(file: &[u8]) {
    let head = Head { bytes: &file[..file.len() / 2], is_whole_file: false };
    if let Summarized::NeedsBytes(bytes) = summarize(head, None, Profile::Lenient) {
        assert!(bytes > head.bytes.len(), "more bytes are needed than there are");
    }
}
