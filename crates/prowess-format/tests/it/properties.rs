//! What holds of any file.

use std::borrow::Cow;

use proptest::prelude::*;
use prowess_format::{AllowedTools, Head, Profile, Rules, Summarized, parse, summarize};

use crate::support::{assert_sound, summarized};

/// Returns whole lines and pieces of lines of which frontmatters are made, good and nasty ones.
fn pieces() -> Vec<String> {
    serde_json::from_str(include_str!("../data/pieces.json")).expect("it is JSON")
}

pub(crate) fn frontmatter() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        12 => prop::sample::select(pieces()),
        1 => "[ -~]{0,12}\n",
    ];
    let good = prop_oneof![Just(""), Just("name: pdf\n"), Just("name: pdf\ndescription: x\n")];
    (good, prop::collection::vec(piece, 0..6))
        .prop_map(|(good, pieces)| good.to_owned() + &pieces.concat())
}

fn profile() -> impl Strategy<Value = Profile> {
    prop::sample::select(Profile::ALL.as_slice())
}

/// The summary and the document say the same of the frontmatter, finding for finding.
fn assert_equal(file: &[u8], profile: Profile) {
    let parsed = parse(file, profile);
    assert_sound(file, &parsed);
    assert_same_beside_a_hint(file, profile);
    let (summary, found) = summarized(file, None, &Rules::of(profile));
    let of_frontmatter: Vec<_> = parsed
        .diagnostics
        .iter()
        .filter(|found| !found.code.as_str().starts_with("body-"))
        .cloned()
        .collect();
    assert_eq!(found, of_frontmatter, "the findings are the same, place for place");
    let summary = summary.map(|it| (it.name.into_owned(), it.description.into_owned(), it.version));
    let document = parsed.document.as_ref().map(|document| {
        let frontmatter = &document.frontmatter;
        (frontmatter.name.clone(), frontmatter.description.clone(), frontmatter.version())
    });
    assert_eq!(summary, document, "name, description, version and verdict are the same");
}

/// A further line that is no news to anybody sends a file past the quickest scanner: what the
/// others make of it is what that one makes of it without the line.
fn assert_same_beside_a_hint(file: &[u8], profile: Profile) {
    let read = |file: &[u8]| {
        let (summary, found) = summarized(file, Some("pdf".into()), &Rules::of(profile));
        let codes: Vec<_> = found.into_iter().map(|found| found.code).collect();
        let summary = summary.map(|summary| {
            let conditions = summary.conditions.to_conditions();
            let version = summary.version.map(Cow::into_owned);
            (summary.name.into_owned(), summary.description.into_owned(), version, conditions)
        });
        (summary, codes)
    };
    let commented = [b"---\n# comment\n", file.strip_prefix(b"---\n").unwrap_or(file)].concat();
    assert_eq!(read(file), read(&commented), "a comment changes nothing");
}

#[test]
fn a_list_ends_before_the_comment_after_it() {
    // Where the text ends with the comment, the parser had the list end elsewhere.
    assert_equal(b"---\nmetadata:\n  - a\n  - b\n#\n---\nBody\n", Profile::Lenient);
}

#[test]
fn what_chance_has_found_is_the_same() {
    let texts = [
        "  # indented comment\n\tname: pdf\nname: pdf\n",
        "name: pdf\ndescription: >\n  a\n  b\n\n  c\n: |",
    ];
    for (yaml, profile) in texts.iter().flat_map(|it| Profile::ALL.map(|profile| (it, profile))) {
        assert_equal(format!("---\n{yaml}\n---\nBody\n").as_bytes(), profile);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_summary_says_what_the_document_says(yaml in frontmatter(), profile in profile()) {
        assert_equal(format!("---\n{yaml}\n---\nBody\n").as_bytes(), profile);
    }

    #[test]
    fn any_bytes_give_a_result(bytes in prop::collection::vec(any::<u8>(), 0..200), profile in profile()) {
        assert_sound(&bytes, &parse(&bytes, profile));
        let framed = [b"---\n".as_slice(), &bytes, b"\n---\n"].concat();
        assert_sound(&framed, &parse(&framed, profile));
        let head = Head { bytes: &bytes, is_whole_file: false };
        if let Summarized::NeedsBytes(more) = summarize(head, None, profile) {
            assert!(more > bytes.len());
        }
    }

    #[test]
    fn any_text_between_fences_gives_a_result(text in "\\PC{0,80}", profile in profile()) {
        assert_equal(format!("---\n{text}\n---\nBody").as_bytes(), profile);
    }

    #[test]
    fn line_ends_make_no_difference(yaml in frontmatter(), profile in profile()) {
        let yaml = yaml.replace('\r', "");
        let unix = format!("---\n{yaml}\n---\nBody\n");
        let windows = unix.replace('\n', "\r\n");
        let [unix, windows] = [&unix, &windows].map(|text| {
            let parsed = parse(text.as_bytes(), profile);
            let found: Vec<_> = parsed.diagnostics.iter().map(ToString::to_string).collect();
            let document = parsed.document.map(|document| {
                (document.frontmatter, document.body.replace("\r\n", "\n"), document.body_line)
            });
            (document, found)
        });
        prop_assert_eq!(unix, windows);
    }

    #[test]
    fn rules_read_back(text in "[A-Za-z_:* ,()/'\"-]{0,40}") {
        if let Ok(tools) = AllowedTools::parse(&text) {
            prop_assert_eq!(AllowedTools::parse(&tools.to_string()), Ok(tools));
        }
        if let Ok(tools) = AllowedTools::parse_all(&[&text, "Read"]) {
            prop_assert_eq!(AllowedTools::parse(&tools.to_string()), Ok(tools));
        }
    }
}

/// Fields with this many values, in the shapes in which hostile files have them.
fn crowded(values: usize) -> [String; 5] {
    let flow = vec!["a"; values].join(",");
    [
        format!("x: [{flow}]\n"),
        format!("metadata:\n  x: [{flow}]\n"),
        format!("metadata:\n  version: 1\nx: [{flow}]\ny: [b]\n"),
        format!("x:\n{}", "  - a\n".repeat(values)),
        format!("tags: [{flow}]\n"),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// A skill that is offered can be loaded: the summary refuses what the full parser refuses.
    #[test]
    fn summary_is_refused_where_parsing_is(values in 0_usize..30_000) {
        for yaml in crowded(values) {
            let file = format!("---\nname: pdf\ndescription: x\n{yaml}---\nBody\n").into_bytes();
            let (summary, _) = summarized(&file, None, &Rules::default());
            let document = parse(&file, Profile::Lenient).document;
            prop_assert_eq!(summary.is_some(), document.is_some(), "{} values", values);
        }
    }
}

/// Where a fence would be, a file without one has other characters.
#[test]
fn place_of_a_missing_fence_ends_on_a_character() {
    for bytes in ["\0\0\u{80}", "ab\u{20ac}", "\u{1f4c4}"] {
        assert_sound(bytes.as_bytes(), &parse(bytes.as_bytes(), Profile::ClaudeCode));
    }
}

/// A field behind a tab is one wherever it stands: behind a field, a comment or a blank line.
#[test]
fn field_behind_a_tab_is_read_at_each_place() {
    for before in ["", "# a\n", "\n", "license: MIT\n", "# a\n\n# b\n"] {
        let file = format!("---\n{before}\tname: pdf\ndescription: Fills forms.\n---\nBody\n");
        assert_equal(file.as_bytes(), Profile::Lenient);
        let read = parse(file.as_bytes(), Profile::Lenient).document.expect("it is repaired");
        assert_eq!(read.frontmatter.name, "pdf", "behind {before:?}");
    }
}
