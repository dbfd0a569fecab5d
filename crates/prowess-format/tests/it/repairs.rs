//! Faults that cost their own field and no other.

use prowess_format::{self as format, Head, Profile, Summarized, parse, repaired, summarize};

use crate::support::{rows, skill, summarized};

/// Checks the fields of a file, as JSON, and the codes of its findings. Both readers agree, and the
/// strict profiles refuse the file.
#[track_caller]
fn check(yaml: &str, expected: &str, codes: &str) {
    let file = skill(yaml);
    let parsed = parse(&file, Profile::Lenient);
    let found: Vec<_> = parsed.diagnostics.iter().map(|it| it.code.as_str()).collect();
    let document = parsed.document.unwrap_or_else(|| panic!("{yaml:?}: {found:?}"));
    let fields = serde_json::Value::from(document.frontmatter.fields).to_string();
    assert_eq!((fields.as_str(), found.join(" ").as_str()), (expected, codes), "{yaml}");
    let summary = summarized(&file, None, &format::Rules::default()).0.expect(yaml);
    assert_eq!(summary.description, document.frontmatter.description, "{yaml}");
    let text = String::from_utf8(file.clone()).expect("a text");
    let repaired = repaired(&text).unwrap_or_else(|| panic!("a patch of {yaml}"));
    let again = parse(repaired.text.as_bytes(), Profile::Lenient);
    let left = again.diagnostics.iter().filter(|it| repaired.codes.contains(&it.code)).count();
    let same = again.document.map(|it| serde_json::Value::from(it.frontmatter.fields).to_string());
    assert!(left == 0, "{yaml} is repaired:\n{}", repaired.text);
    assert_eq!(same.as_deref(), Some(fields.as_str()), "{}", repaired.text);
    for profile in [Profile::Spec, Profile::Strict, Profile::Extended, Profile::SkillsRef] {
        assert!(parse(&file, profile).document.is_none(), "{profile} refuses {yaml}");
    }
}

/// Each frontmatter, with its fields and the codes of its findings.
#[test]
fn faults_cost_their_own_field() {
    let rows = rows::<[String; 3]>(include_str!("../data/one-field-each.json"));
    for [yaml, fields, codes] in rows {
        check(&yaml, &fields, &codes);
    }
}

/// Each file, with its name and description in the directory `dir`, and the codes of its findings.
#[test]
fn faults_that_cost_one_field() {
    let (rules, directory) = (format::Rules::default(), Some("dir".into()));
    for row in rows::<[String; 4]>(include_str!("../data/one-field.json")) {
        let said = |file: &str| {
            let parsed = format::parse_in(file.as_bytes(), directory, &rules);
            let codes: Vec<_> = parsed.diagnostics.iter().map(|it| it.code.as_str()).collect();
            let codes = codes.join(" ").replace("name-directory-mismatch", "").trim().to_owned();
            let read = parsed.document.map(|it| it.frontmatter).expect(file);
            [file.to_owned(), read.name, read.description, codes.replace("  ", " ")]
        };
        let found = said(&row[0]);
        assert_eq!(found, row);
        let it = summarized(row[0].as_bytes(), directory, &rules).0.expect(&row[0]);
        assert_eq!([&*it.name, &*it.description], [&*found[1], &*found[2]], "{found:?}");
        for cut in 0..row[0].len() {
            let head = Head { bytes: &row[0].as_bytes()[..cut], is_whole_file: false };
            let Summarized::Done(part, _) = format::summarize_with(head, directory, &rules) else {
                continue;
            };
            let part = part.unwrap_or_else(|| panic!("{found:?} cut at {cut}"));
            assert_eq!([&part.name, &part.description], [&it.name, &it.description], "{found:?}");
        }
        if let Some(repaired) = repaired(&row[0]) {
            let patched = said(&repaired.text);
            let is_left = repaired.codes.iter().any(|it| patched[3].contains(it.as_str()));
            assert!(patched[1..3] == found[1..3] && !is_left, "{patched:?}");
        }
    }
}

#[test]
fn what_is_not_guessed() {
    for yaml in include_str!("../data/not-guessed.txt").lines() {
        let yaml = yaml.replace("\\n", "\n");
        assert!(parse(&skill(&yaml), Profile::Lenient).document.is_none(), "{yaml}");
    }
}

#[test]
fn rare_line_breaks_are_line_ends() {
    for (written, read) in [
        ("'Fills\rforms.'", "Fills forms."),
        ("\"b\"\u{85}", "b"),
        ("'b'\u{2028}", "b"),
        ("b\rlicense: 'c'\u{2029}", "b"),
    ] {
        let file = skill(&format!("name: a\ndescription: {written}\n"));
        let parsed = parse(&file, Profile::Lenient);
        let description = parsed.document.map(|document| document.frontmatter.description);
        assert_eq!(description.as_deref(), Some(read), "{written:?}");
        let is_found = parsed.diagnostics.iter().any(|it| it.code.as_str() == "line-break-rare");
        assert!(is_found, "{written:?}: {:?}", parsed.diagnostics);
        assert!(parse(&file, Profile::Spec).document.is_none(), "{written:?}");
        let repaired = repaired(str::from_utf8(&file).unwrap()).expect("a patch");
        let again = parse(repaired.text.as_bytes(), Profile::Spec);
        assert!(again.document.is_some(), "{:?}: {:?}", repaired.text, again.diagnostics);
    }
}

#[test]
fn fences_that_share_their_lines_with_text() {
    for (file, body) in rows::<(String, String)>(include_str!("../data/fences-in-text.json")) {
        let parsed = parse(file.as_bytes(), Profile::Lenient);
        let document = parsed.document.unwrap_or_else(|| panic!("{file:?} is read"));
        assert_eq!((document.frontmatter.description.as_str(), document.body), ("b", &*body));
        assert_eq!(parsed.diagnostics[0].code.as_str(), "frontmatter-fence-in-text", "{file:?}");
        let head = Head { bytes: &file.as_bytes()[..6], is_whole_file: false };
        assert!(matches!(summarize(head, None, Profile::Lenient), Summarized::NeedsBytes(_)));
        assert!(parse(file.as_bytes(), Profile::Spec).document.is_none(), "{file:?}");
        let repaired = repaired(&file).expect("a patch");
        let again = parse(repaired.text.as_bytes(), Profile::Spec);
        let name = again.document.map(|document| document.frontmatter.name);
        assert_eq!(name.as_deref(), Some("a"), "{:?}", again.diagnostics);
    }
    let switch = b"---\nname: a\ndescription: b\n--- c\nuser-invocable: false\n---\n";
    let is_read = parse(switch, Profile::Lenient).document.is_some();
    assert!(!is_read, "a switch behind the first `---` is not lost");
    for file in
        ["---\nname: a\ndescription: b\n# Title\n|---|\n", "----\nname: a\n---\n", "---\nname: a\n"]
    {
        let found = parse(file.as_bytes(), Profile::Lenient).diagnostics;
        let codes = ["frontmatter-unclosed", "frontmatter-missing"];
        assert!(codes.contains(&found[0].code.as_str()), "{file:?}: {found:?}");
    }
}

#[test]
fn a_nul_in_the_body_costs_no_skill() {
    let file = b"---\nname: a\ndescription: b\n---\nBody\0\n";
    let parsed = parse(file, Profile::Lenient);
    assert_eq!(parsed.document.map(|it| it.body), Some("Body\0\n"));
    assert_eq!(parsed.diagnostics[0].code.as_str(), "nul-in-body");
    assert!(parse(file, Profile::Spec).document.is_none());
}
