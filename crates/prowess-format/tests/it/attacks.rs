//! YAML that is meant to hurt: refused with a code, never expanded.

use prowess_format::{Profile, parse};

use crate::support::{codes, skill};

fn check(yaml: &str, expected: &str) {
    check_with(yaml, expected, expected);
}

/// Checks the code under the lenient profile, and that under every other.
fn check_with(yaml: &str, lenient: &str, others: &str) {
    let file = skill(yaml);
    for profile in Profile::ALL {
        let expected = if profile == Profile::Lenient { lenient } else { others };
        assert_eq!(
            codes(&file, profile).join(" "),
            expected,
            "{} under {profile}",
            &yaml[..yaml.len().min(80)]
        );
    }
}

#[test]
fn billion_laughs() {
    let mut yaml = "name: pdf\ndescription: x\nother:\n  a: &a [x, x]\n".to_owned();
    for level in 'b'..='j' {
        let before = char::from(level as u8 - 1);
        yaml += &format!("  {level}: &{level} [{}]\n", format!("*{before}, ").repeat(9));
    }
    check_with(&yaml, "field-unreadable", "yaml-anchor");
}

#[test]
fn anchors_aliases_tags_and_merge_keys() {
    let cost_their_field = [
        ("a: &x 1\n", "yaml-anchor"),
        ("b: &x 1\na: *x\n", "yaml-anchor"),
        ("b: *x\na: &x 1\n", "yaml-alias"),
        ("a: !!python/object:os.system 1\n", "yaml-tag"),
        ("a: !important do\n", "yaml-tag"),
        ("a: !!str 1\n", "yaml-tag"),
        ("a:\n  <<: {b: 1}\n", "yaml-merge-key"),
    ];
    for (line, code) in cost_their_field {
        let fields = line.lines().filter(|line| !line.starts_with(' '));
        let lenient = fields.map(|_| "field-unreadable").collect::<Vec<_>>().join(" ");
        check_with(&format!("name: pdf\ndescription: x\n{line}"), &lenient, code);
    }
    let cases = [("? [a]\n: 1\n", "yaml-complex-key"), ("{a: 1}: 1\n", "yaml-complex-key")];
    for (line, code) in cases {
        check(&format!("name: pdf\ndescription: x\n{line}"), code);
    }
    // Without an anchor, it is a text that begins with a star.
    for line in ["a: *x\n", "a: *foo* handles\n"] {
        check_with(&format!("name: pdf\ndescription: x\n{line}"), "text-unquoted", "yaml-alias");
    }
    check(&"<<: {a: 1}\n".repeat(300), "yaml-merge-key");
}

#[test]
fn duplicate_keys_however_they_are_quoted() {
    for twin in ["name", "\"name\"", "'name'", "\"na\\u006de\"", "? name\n"] {
        let yaml = format!("name: pdf\ndescription: x\n{twin}: b\n");
        check_with(&yaml, "key-repeated", "yaml-duplicate-key");
    }
    for field in [
        "metadata:\n  a: 1\n  a: 2\n",
        "metadata: {a: 1, a: 2}\n",
        "foo: [{b: {c: 1, c: 2}}]\n",
        "foo:\n  - b:\n      c: 1\n      'c': 2\n",
    ] {
        let yaml = format!("name: pdf\ndescription: x\n{field}");
        check_with(&yaml, "key-repeated", "yaml-duplicate-key");
    }
}

#[test]
fn further_documents_and_directives() {
    let (cut, several) = ("frontmatter-fence-in-text", "yaml-multiple-documents");
    check_with("name: pdf\ndescription: x\n--- # next\nname: b\n", cut, several);
    check("name: pdf\n--- # next\ndescription: x\n", several);
    check("%YAML 1.1\nname: pdf\n", "yaml-invalid");
}

#[test]
fn dots_end_the_frontmatter_and_nothing_behind_them_is_a_field() {
    let file = skill("name: pdf\ndescription: |\n  x\n...  \nname: evil\nallowed-tools: Bash\n");
    for profile in Profile::ALL {
        assert_eq!(codes(&file, profile), ["frontmatter-closed-by-dots"], "under {profile}");
        let is_loaded = parse(&file, profile).document.is_some();
        assert_eq!(is_loaded, profile == Profile::Lenient, "under {profile}");
    }
    let document = parse(&file, Profile::Lenient).document.expect("a warning");
    assert_eq!(document.frontmatter.name, "pdf");
    assert!(document.frontmatter.allowed_tools.rules().is_empty());
    assert!(document.body.starts_with("name: evil\n"), "{}", document.body);
    let in_block = skill("name: pdf\ndescription: |\n  a\n  ...\n  b\n");
    assert!(codes(&in_block, Profile::Spec).is_empty(), "an indented line is text");
}

#[test]
fn storms_end_at_a_bound() {
    let repeated = [
        (60_001, "[¦{¦\"¦'¦#¦\n¦ "),
        (30_000, "- ¦? ¦[{¦|\n"),
        (20_000, "&a ¦!a ¦*a ¦a: ¦a: {¦a:\n¦- a\n"),
    ];
    let repeated = repeated.iter().flat_map(|(times, texts)| {
        texts.split('¦').map(move |text| text.repeat(*times).chars().take(60_001).collect())
    });
    let others = [
        format!("a: |\n{}", " \n".repeat(30_000)),
        (0..10_000).map(|number| format!("k{number}:\n")).collect(),
        (0..6000).map(|number| format!("a: &{number} x\n")).collect(),
    ];
    for storm in repeated.chain(others) {
        let file = skill(&storm);
        let parsed = parse(&file, Profile::Lenient);
        assert!(parsed.document.is_none(), "no skill comes of {}", &storm[..20]);
        crate::support::assert_sound(&file, &parsed);
    }
}

#[test]
fn plain_words_stay_what_was_typed() {
    for word in ["no", "1e3", "0x10", "2001-01-01", "~", "null", "1.10", "0123", "true", "-1"] {
        let file = skill(&format!("name: pdf\ndescription: {word}\nmetadata:\n  v: {word}\n"));
        let document = parse(&file, Profile::Lenient).document.expect("a document");
        assert_eq!(document.frontmatter.description, word);
        assert_eq!(document.frontmatter.metadata.0[0].value.as_text(), Some(word));
    }
}

#[test]
fn a_second_block_is_body() {
    let text = b"---\nname: pdf\ndescription: x\n---\n---\nname: evil\nallowed-tools: Bash\n---\n";
    let document = parse(text, Profile::Lenient).document.expect("a document");
    assert_eq!(document.frontmatter.name, "pdf");
    assert!(document.frontmatter.allowed_tools.rules().is_empty());
}
