//! New skills.

use prowess_format::write::WriteError;
use prowess_format::{Document, Profile, Rules, parse, parse_with, write};

#[test]
fn a_scaffold_pleases_every_checker() {
    let written = write::scaffold("pdf-forms", "Fills forms. Use when one arrives: always # so.")
        .expect("a good name and description");
    for profile in Profile::ALL {
        let parsed = parse(written.as_bytes(), profile);
        assert_eq!(parsed.diagnostics, [], "nothing is found under `{profile}`");
        let document = parsed.document.expect("it is read");
        assert_eq!(document.frontmatter.name, "pdf-forms");
        assert!(document.body.starts_with("# Pdf forms\n"), "the title is the name in words");
        assert_eq!(document.to_skill_md().as_ref(), Ok(&written), "it is canonical");
    }
}

#[test]
fn what_a_client_would_refuse_is_not_written_for_it() {
    let rules = Rules::of(Profile::Extended);
    for (fields, code) in [
        ("insert: user-message\narguments: [{name: a}]\ncustom-field: retained\n", None),
        ("insert: elsewhere\n", Some("extension-value-unknown")),
        ("arguments: [{name: a}, {name: a}]\n", Some("extension-duplicate")),
        ("tags: [' ']\n", Some("extension-value-invalid")),
    ] {
        let file = format!("---\nname: pdf\ndescription: x\n{fields}---\nGo.\n");
        let document = parse(file.as_bytes(), Profile::Lenient).document.expect("lenient reads it");
        let refused = match document.to_skill_md_by(&rules) {
            Ok(written) => {
                let again = parse_with(written.as_bytes(), &rules).document.expect("it is valid");
                let fields = |document: &Document<'_>| document.frontmatter.fields.iter().count();
                assert_eq!(fields(&again), fields(&document), "nothing is lost");
                None
            }
            Err(WriteError::Unreadable(found)) => Some(found.code.to_string()),
            Err(error) => panic!("{error}"),
        };
        assert_eq!(refused.as_deref(), code, "{fields}");
        assert!(document.to_skill_md().is_ok(), "who does not ask gets it written");
    }
}

#[test]
fn a_scaffold_of_a_bad_skill_is_refused() {
    let long = "a".repeat(1025);
    for (name, description) in [
        ("PDF", "x"),
        ("", "x"),
        ("con", "x"),
        ("a", ""),
        ("a", " "),
        ("a", &long),
        ("a", "\0"),
        ("a", "x\u{200b}"),
    ] {
        assert!(write::scaffold(name, description).is_err(), "{name:?}: {description:?}");
    }
}
