//! Which fields are known, kept and refused.

use prowess_format::{Profile, Value, parse};

use crate::support::{codes, rows, skill};

#[test]
fn every_field_is_kept_in_order() {
    let file = skill(
        "license: MIT\nname: pdf\nversion: 1.10\ndescription: '  Fills forms. '\n\
         metadata:\n  author: me\n  deep: {a: [1, no]}\ncustom:\n  nested: retained\n",
    );
    let document = parse(&file, Profile::Lenient).document.expect("a document");
    let frontmatter = document.frontmatter;
    let keys: Vec<_> = frontmatter.fields.iter().map(|field| field.key.as_str()).collect();
    assert_eq!(keys, ["license", "name", "version", "description", "metadata", "custom"]);
    assert_eq!(frontmatter.description, "Fills forms.", "trimmed");
    assert_eq!(frontmatter.license.as_deref(), Some("MIT"));
    assert_eq!(frontmatter.metadata.iter().count(), 2);
    let version = frontmatter.fields.get("version").expect("unknown keys are kept");
    assert_eq!(version.value, Value::Text("1.10".to_owned()));
    assert_eq!(&file[version.value_span.clone()], b"1.10", "spans are of the whole file");
    assert_eq!(&file[version.key_span.clone()], b"version");
    let json = serde_json::to_string(&frontmatter.metadata).expect("plain data");
    assert_eq!(json, r#"{"author":"me","deep":{"a":["1","no"]}}"#);
}

#[test]
fn codes_by_profile() {
    type Case = (String, Vec<String>, Vec<String>);
    for (yaml, lenient, spec) in rows::<Case>(include_str!("../data/codes.json")) {
        let file = skill(&yaml);
        assert_eq!(codes(&file, Profile::Lenient), lenient, "{yaml:?} under lenient");
        assert_eq!(codes(&file, Profile::Spec), spec, "{yaml:?} under spec");
    }
}

#[test]
fn hidden_characters_are_reported() {
    for hidden in ['\u{200b}', '\u{202e}', '\u{2066}', '\u{e0041}', '\u{feff}', '\u{200d}'] {
        let file = skill(&format!("name: pdf\ndescription: a{hidden}b\n"));
        assert_eq!(codes(&file, Profile::Lenient), ["hidden-character"], "U+{:04X}", hidden as u32);
    }
    let escape = skill("name: pdf\ndescription: \"a\\e[31mb\"\n");
    assert_eq!(codes(&escape, Profile::Lenient), ["hidden-character"], "terminal escapes");
    let emoji = skill(
        "name: pdf\ndescription: \u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467} \u{2764}\u{fe0f} 字 é\n",
    );
    assert!(codes(&emoji, Profile::Lenient).is_empty(), "a family is one picture");
}

#[test]
fn each_profile_weighs_a_finding_in_its_own_way() {
    type Case = (String, String, Vec<Option<String>>);
    for (code, yaml, severities) in rows::<Case>(include_str!("../data/severities.json")) {
        let file = skill(&yaml.replace("LINES", &"line\n".repeat(501)));
        for (profile, expected) in Profile::ALL.into_iter().zip(severities) {
            let found = parse(&file, profile).diagnostics;
            let severity = found.iter().find(|found| found.code.as_str() == code);
            let severity = severity.map(|found| found.severity.as_str());
            assert_eq!(severity, expected.as_deref(), "`{code}` under {profile}");
        }
    }
    for (number, profile) in Profile::ALL.into_iter().enumerate() {
        assert_eq!(profile.as_str().parse(), Ok(profile), "its name reads back");
        assert_eq!(profile as usize, number, "the columns stand in the order of the list");
    }
}
