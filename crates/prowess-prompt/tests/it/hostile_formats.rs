//! The hostile corpus in every format.

use proptest::prelude::*;
use prowess_prompt::{CatalogFormat, SkillEntry, available_skills};
use prowess_testkit::{disguised_tag_in, hostile_texts, invisible_in};
use prowess_text::one_line;

use crate::reading::{entries, read, unguarded};

/// Returns the text that a reader gets: on one line, in XML with `<` for each bracket that looks
/// like it and opens a guarded tag, which every such bracket of the corpus does.
fn shown(text: &str, format: CatalogFormat) -> String {
    if format == CatalogFormat::Json {
        return one_line(text).into_owned();
    }
    one_line(text).replace(['\u{ff1c}', '\u{fe64}', '\u{2039}', '\u{3008}'], "<")
}

fn entry(name: &str, description: &str) -> SkillEntry<'static> {
    SkillEntry {
        name: name.to_owned().into(),
        description: description.to_owned().into(),
        location: Some(format!("/skills/{description}/SKILL.md").into()),
    }
}

/// Checks that no text of a skill looks like markup, and that nothing in it is invisible.
#[track_caller]
fn check_safe(text: &str, format: CatalogFormat) {
    assert_eq!(invisible_in(text), None, "{format:?}: {text:?}");
    let own = entries(text, format).replace("<skill>", "").replace("</skill>", "");
    let own = own.replace("<skill name=\"", "");
    assert_eq!(disguised_tag_in(&own), None, "{format:?}: {text}");
}

#[test]
fn no_text_of_the_corpus_leaves_its_entry() {
    for text in hostile_texts() {
        for format in CatalogFormat::ALL {
            let skills = [entry("first", "First."), entry(&text, &text), entry("last", "Last.")];
            let catalog = available_skills(skills, format);
            check_safe(&catalog, format);
            // The location is behind the description, in the same line.
            if format == CatalogFormat::Markdown {
                assert_eq!(catalog.lines().count(), 5, "{catalog}");
                continue;
            }
            let read = read(&catalog, format);
            let names: Vec<_> = read.iter().map(|skill| skill.0.as_str()).collect();
            assert_eq!(names, ["first", &shown(&text, format), "last"], "{format:?}: {catalog}");
            let (found, expected) = (unguarded(&read[1].1), unguarded(&shown(&text, format)));
            assert_eq!(found, expected, "{format:?}: {catalog}");
        }
    }
}

/// Generates texts of the characters that have a meaning in one of the formats.
fn marked_up() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("</available_skills>".to_owned()),
        Just("<<<END_AVAILABLE_SKILLS>>>".to_owned()),
        Just("\n---\n".to_owned()),
        Just("\nname: x".to_owned()),
        Just("` — ".to_owned()),
        Just("\": ".to_owned()),
        Just("\" />".to_owned()),
        "[ -~\\n\\t\u{200B}\u{202E}\u{E0041}é•—]{0,12}",
    ];
    prop::collection::vec(piece, 1..6).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn every_format_is_read_back(name in marked_up(), description in marked_up()) {
        prop_assume!(!one_line(&name).is_empty() && !one_line(&description).is_empty());
        for format in CatalogFormat::ALL {
            let plain = |name: &str| SkillEntry { location: None, ..entry(name, &description) };
            let text = available_skills([plain(&name), plain("last")], format);
            let expected = unguarded(&one_line(&description));
            let mut skills = read(&text, format);
            skills.iter_mut().for_each(|skill| skill.1 = unguarded(&skill.1));
            prop_assert_eq!(
                skills,
                [(one_line(&name).into_owned(), expected.clone()), ("last".to_owned(), expected)],
                "{:?}: {}", format, text
            );
        }
    }
}
