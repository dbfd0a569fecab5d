//! Bounds, each just kept and just broken.

use prowess_format::{MAX_FILE_BYTES, MAX_FRONTMATTER_BYTES, Profile, parse};

use crate::support::{codes, skill};

const SPEC: Profile = Profile::Spec;

fn file_of(bytes: usize) -> Vec<u8> {
    let mut file = skill("name: pdf\ndescription: x\n");
    file.resize(bytes, b'x');
    file
}

/// A file whose frontmatter has this many bytes.
fn frontmatter_of(bytes: usize) -> Vec<u8> {
    let fields = "name: pdf\ndescription: x\n";
    let filler = "#".repeat(bytes - fields.len() - 1);
    skill(&format!("{fields}{filler}\n"))
}

#[test]
fn a_file_has_at_most_two_mebibytes() {
    assert!(codes(&file_of(MAX_FILE_BYTES), SPEC).is_empty());
    assert_eq!(codes(&file_of(MAX_FILE_BYTES + 1), SPEC), ["file-too-large"]);
}

#[test]
fn a_frontmatter_has_at_most_64_kibibytes() {
    assert!(codes(&frontmatter_of(MAX_FRONTMATTER_BYTES), SPEC).is_empty());
    let larger = frontmatter_of(MAX_FRONTMATTER_BYTES + 1);
    assert_eq!(codes(&larger, SPEC), ["frontmatter-too-large"]);
}

#[test]
fn lengths_are_counted_in_characters() {
    let cases = [
        ("description", 1024, "description-too-long"),
        ("compatibility", 500, "compatibility-too-long"),
    ];
    for (field, most, code) in cases {
        let file = |characters: usize| {
            let other = if field == "description" { "" } else { "description: x\n" };
            skill(&format!("name: pdf\n{other}{field}: {}\n", "字".repeat(characters)))
        };
        assert!(codes(&file(most), SPEC).is_empty(), "{most} characters of `{field}`");
        assert_eq!(codes(&file(most + 1), SPEC), [code]);
        let is_loaded = parse(&file(most + 1), Profile::Lenient).document.is_some();
        assert!(is_loaded, "a long `{field}` is a warning to a client");
    }
}

#[test]
fn allowed_tools_has_at_most_2048_characters() {
    let file = |characters: usize| {
        skill(&format!("name: pdf\ndescription: x\nallowed-tools: {}\n", "R".repeat(characters)))
    };
    assert!(codes(&file(2048), SPEC).is_empty());
    assert_eq!(codes(&file(2049), SPEC), ["allowed-tools-too-long"]);
}

#[test]
fn a_body_has_at_most_500_lines() {
    let file = |lines: usize| {
        format!("---\nname: pdf\ndescription: x\n---\n{}", "line\n".repeat(lines)).into_bytes()
    };
    assert!(codes(&file(500), SPEC).is_empty());
    let unended = file(501);
    let unended = unended.strip_suffix(b"\n").expect("a line end");
    for body in [&file(501), unended] {
        assert_eq!(codes(body, SPEC), ["body-too-long"]);
    }
    assert!(parse(&file(501), SPEC).document.is_some(), "it is advice");
}

#[test]
fn collections_lie_at_most_16_deep() {
    let nested = |levels: usize| {
        let open = "[".repeat(levels - 1);
        let close = "]".repeat(levels - 1);
        skill(&format!("name: pdf\ndescription: x\ndeep: {open}{close}\n"))
    };
    assert!(codes(&nested(16), Profile::Lenient).is_empty());
    assert_eq!(codes(&nested(17), SPEC), ["yaml-too-deep"]);
    let block = |levels: usize| {
        let lines: String = (0..levels).map(|level| format!("{}k:\n", " ".repeat(level))).collect();
        skill(&format!("name: pdf\ndescription: x\n{lines}"))
    };
    assert!(codes(&block(16), Profile::Lenient).is_empty());
    assert_eq!(codes(&block(17), SPEC), ["yaml-too-deep"]);
}

#[test]
fn there_are_at_most_10000_keys_and_values() {
    // The mapping, three keys, two texts and the list count too.
    let file =
        |items: usize| skill(&format!("name: pdf\ndescription: x\nl: [{}]\n", "a,".repeat(items)));
    assert!(codes(&file(10_000 - 7), Profile::Lenient).is_empty());
    assert_eq!(codes(&file(10_000 - 6), Profile::Lenient), ["yaml-too-many-nodes"]);
}

#[test]
fn a_key_of_metadata_has_at_most_256_characters() {
    let file = |characters: usize| {
        skill(&format!("name: pdf\ndescription: x\nmetadata:\n  {}: a\n", "é".repeat(characters)))
    };
    assert!(codes(&file(256), SPEC).is_empty());
    assert_eq!(codes(&file(257), SPEC), ["metadata-key-too-long"]);
    assert!(parse(&file(257), Profile::Lenient).document.is_some(), "a client warns");
    let ascii = skill(&format!("name: pdf\ndescription: x\nmetadata:\n  {}: a\n", "k".repeat(257)));
    assert_eq!(crate::support::summary(&ascii, SPEC).lines().count(), 2, "a summary tells it too");
}
