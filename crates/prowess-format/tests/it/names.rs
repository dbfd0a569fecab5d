//! The grammar of names.

use prowess_format::{
    Directory, Limit, LimitSeverity, Limits, NameError, NameRule, Profile, Rules, SkillName,
    are_confusable, check_directory, parse_in, parse_with,
};

use crate::support::{codes, rows, skill, summarized};

#[test]
fn bad_names() {
    for (name, expected) in rows::<(String, String)>(include_str!("../data/bad-names.json")) {
        let error = SkillName::new(&name).expect_err("a rule is broken").to_string();
        assert_eq!(error, expected, "the rule that `{name}` breaks");
    }
}

#[test]
fn names_are_compared_in_their_normal_form() {
    let full_width = "ｐｄｆ".parse::<SkillName>().expect("NFKC makes it ASCII");
    assert_eq!([full_width.as_str(), full_width.as_ref()], ["pdf"; 2]);
    assert_eq!(full_width.to_string(), "pdf");
    assert!(check_directory("ｐｄｆ", "pdf", Profile::Spec).is_none());
    let ligature = SkillName::new("\u{fb01}le").expect("NFKC makes two letters of `ﬁ`");
    assert_eq!(ligature.as_str(), "file");
    assert!(check_directory("\u{fb01}le", "file", Profile::Spec).is_none());
}

#[test]
fn reserved_names() {
    let reserved = "skills-load skills-unload skills-read system bash mcp default con prn aux nul \
                    com1 com9 lpt1 lpt9";
    let is_reserved = |name| SkillName::new(name).is_ok_and(|name| name.is_reserved());
    for name in reserved.split(' ') {
        assert!(is_reserved(name), "`{name}` is reserved");
        let file = skill(&format!("name: {name}\ndescription: x\n"));
        for profile in [Profile::Lenient, Profile::Spec] {
            assert_eq!(codes(&file, profile), ["name-reserved"], "`{name}` under {profile}");
        }
    }
    for name in ["com0", "com10", "console", "skills", "bash-guide"] {
        assert!(!is_reserved(name), "`{name}` is free");
    }
}

#[test]
fn a_broken_grammar_is_an_error_in_each_profile_and_length_is_not() {
    for name in ["A", "a_b", "a b", "\"a\\n\"", "-a", "a-", "a--b", "é", ".."] {
        let file = skill(&format!("name: {name}\ndescription: x\n"));
        let relaxed = [Profile::Lenient, Profile::ClaudeCode];
        for profile in Profile::ALL.into_iter().filter(|it| !relaxed.contains(it)) {
            assert!(codes(&file, profile).contains(&"name-invalid".to_owned()), "{name} {profile}");
        }
    }
    let long = skill(&format!("name: {}\ndescription: x\n", "a".repeat(65)));
    let document = prowess_format::parse(&long, Profile::Lenient).document;
    assert!(document.is_some(), "a long name is loaded all the same");
    assert!(prowess_format::parse(&long, Profile::Spec).document.is_none());
}

/// The severities and codes, and the name of a file of the lenient profile, from both readers.
fn lenient(name: &str) -> (Vec<String>, Option<String>) {
    let file = skill(&format!("name: \"{name}\"\ndescription: x\n"));
    let rules = Rules::default();
    let parsed = parse_with(&file, &rules);
    let (summary, found) = summarized(&file, None, &rules);
    assert_eq!(found, parsed.diagnostics, "both readers report the same of `{name}`");
    let of_document = parsed.document.map(|document| document.frontmatter.name);
    assert_eq!(summary.map(|it| it.name.into_owned()), of_document, "`{name}` in both readers");
    let found = found.into_iter().map(|found| format!("{} {}", found.severity, found.code));
    (found.collect(), of_document)
}

/// Each name with its id and its findings, and whether the declared name stays as it is: names of
/// other scripts and kinds, of a word in scripts that look alike only what looks like nothing else,
/// and reserved words.
#[test]
fn lenient_gives_names_outside_the_grammar_safe_ids() {
    let rules = Rules::of(Profile::Lenient);
    let names = include_str!("../data/relaxed-names.json");
    for (name, id, expected, stays) in rows::<(String, String, String, bool)>(names) {
        let (codes, read) = lenient(&name);
        assert_eq!(codes.join(" "), expected, "{name}");
        assert_eq!(rules.id_of(read.as_deref().expect("it is accepted")), id, "{name}");
        assert!(!stays || read.as_deref() == Some(&*name), "{name}: {read:?}");
    }
    assert_eq!(rules.id_of("pdf-forms"), "pdf-forms");
    assert_eq!(lenient("mcp").0, ["warning name-reserved"]);
    let any = Rules { name_rule: NameRule::Any, ..Rules::default() };
    assert_eq!(any.id_of("My Skill"), "My Skill", "a host with a rule of its own has no slugs");
    assert_eq!(any.id_of("Bash"), "Bash-skill", "no rule of names gives a reserved id");
}

#[test]
fn lenient_refuses_names_that_deceive() {
    for name in
        ["pdf\\nx", "pdf\\tx", "pdf\u{200b} x", "pdf\u{202e}x", "\u{3b1}\u{430}", "!!!", ".."]
    {
        let (codes, read) = lenient(name);
        assert!(codes.contains(&"error name-invalid".to_owned()), "{name:?}: {codes:?}");
        assert_eq!(read, None, "{name:?}");
    }
}

#[test]
fn help_never_asks_for_the_name_that_is_there() {
    let advice = "single hyphens between them; or set `registry.name_rule: unicode`";
    for (name, part) in [("小说拆条", advice), ("Foo", "to `foo`")] {
        let file = skill(&format!("name: {name}\ndescription: x\n"));
        let found = parse_with(&file, &Rules::default());
        let help = &found.diagnostics[0].help;
        assert!(help.contains(part) && !help.contains(&format!("to `{name}`")), "{help}");
    }
}

#[test]
fn the_directory_stands_in_for_a_missing_name() {
    for frontmatter in ["description: x\n", "name:\ndescription: x\n", "name: ''\ndescription: x\n"]
    {
        let file = skill(frontmatter);
        for (profile, expected) in [(Profile::Lenient, Some("pdf-forms")), (Profile::Spec, None)] {
            let rules = Rules::of(profile);
            for is_compared in [true, false] {
                let directory = Some(Directory { name: "pdf-forms", is_compared });
                let parsed = parse_in(&file, directory, &rules);
                let (summary, found) = summarized(&file, directory, &rules);
                assert_eq!(found, parsed.diagnostics, "both readers agree on {frontmatter:?}");
                let name = parsed.document.map(|it| it.frontmatter.name);
                assert_eq!(name.as_deref(), expected, "{frontmatter:?} under {profile}");
                assert_eq!(summary.map(|it| it.name.into_owned()), name);
            }
            assert!(parse_with(&file, &rules).document.is_none(), "there is no directory");
        }
        let directory = Some(Directory::from("pdf-forms"));
        let found = parse_in(&file, directory, &Rules::default()).diagnostics;
        assert_eq!(found[0].code.as_str(), "name-from-directory");
    }
    let file = skill("description: x\n");
    let reserved = parse_in(&file, Some("bash".into()), &Rules::default()).diagnostics;
    let is_reported = reserved.iter().any(|found| found.code.as_str() == "name-reserved");
    assert!(is_reported, "the name of a directory keeps the rules too");
}

#[test]
fn another_directory_is_a_warning_or_an_error() {
    let severity =
        |profile| check_directory("b", "a", profile).map(|found| found.severity.as_str());
    assert_eq!(severity(Profile::Lenient), Some("warning"));
    assert_eq!(severity(Profile::Spec), Some("error"));
    assert!(check_directory("a", "a", Profile::Spec).is_none(), "equal names agree");
}

fn accepted(name: &str) -> Vec<NameRule> {
    let accepts = |rule: &NameRule| SkillName::with_rule(name, *rule).is_ok();
    NameRule::ALL.into_iter().filter(accepts).collect()
}

/// Names with a blank or none are apart; some are alphanumeric to Rust, and symbols or marks by
/// their category.
#[test]
fn each_rule_accepts_its_own_names() {
    for (rules, names) in
        rows::<(Vec<NameRule>, Vec<String>)>(include_str!("../data/accepted-names.json"))
    {
        for name in names {
            assert_eq!(accepted(&name), rules, "{name:?}");
        }
    }
    let long = SkillName::with_rule(&"字".repeat(65), NameRule::Unicode);
    assert_eq!(long, Err(NameError::TooLong(65)), "characters are counted, not bytes");
    let digit = SkillName::with_rule("3d", NameRule::KebabLetterFirst);
    assert_eq!(digit, Err(NameError::LeadingDigit('3')));
    let letter = SkillName::with_rule("a_b", NameRule::Unicode);
    assert_eq!(letter, Err(NameError::InvalidLetter('_')));
}

#[test]
fn a_name_that_other_clients_refuse_is_reported() {
    let names = include_str!("../data/foreign-names.json");
    for (name, name_rule, expected) in rows::<(String, NameRule, String)>(names) {
        let rules = Rules { name_rule, ..Rules::of(Profile::Lenient) };
        let file = skill(&format!("name: {name}\ndescription: x\n"));
        let found = parse_with(&file, &rules).diagnostics;
        let codes: Vec<_> = found.iter().map(|found| found.code.as_str()).collect();
        assert_eq!(codes.join(" "), expected, "`{name}` under {name_rule}");
    }
}

#[test]
fn a_limit_is_the_host_s() {
    let limit = |max, severity| Limit { max, severity };
    let name = skill("name: abcdef\ndescription: x\n");
    let description = skill("name: a\ndescription: abcdef\n");
    let compatibility = skill("name: a\ndescription: x\ncompatibility: abcdef\n");
    let body = [skill("name: a\ndescription: x\n"), b"Text\n".repeat(5)].concat();
    let check = |file: &[u8], set: fn(&mut Limits, Limit), code: &str| {
        let reported = |max, severity, profile| {
            let mut rules = Rules::of(profile);
            set(&mut rules.limits, limit(max, severity));
            let parsed = parse_with(file, &rules);
            let (summary, of_head) = summarized(file, None, &rules);
            if code != "body-too-long" {
                assert_eq!(summary.is_some(), parsed.document.is_some(), "{code}: one verdict");
                assert_eq!(of_head, parsed.diagnostics, "{code}: the head tells it too");
            }
            let found: Vec<_> = parsed.diagnostics.iter().collect();
            assert!(found.iter().all(|found| found.code.as_str() == code), "{found:?}");
            found.first().map(|found| found.severity.as_str())
        };
        use LimitSeverity::{Allow, Error, Hint, Profile as OfProfile, Warning};
        assert_eq!(reported(6, Error, Profile::Strict), None, "{code}: as much as there may be");
        let of_strict = if code == "compatibility-too-long" { "warning" } else { "error" };
        assert_eq!(reported(5, OfProfile, Profile::Strict), Some(of_strict), "{code}");
        assert_eq!(reported(5, OfProfile, Profile::Lenient), Some("warning"), "{code}");
        assert_eq!(reported(5, Error, Profile::Lenient), Some("error"), "{code}");
        assert_eq!(reported(5, Warning, Profile::Strict), Some("warning"), "{code}");
        assert_eq!(reported(5, Hint, Profile::Strict), Some("hint"), "{code}");
        assert_eq!(reported(5, Allow, Profile::Strict), None, "{code}");
    };
    check(&name, |limits, limit| limits.name_characters = limit, "name-too-long");
    check(&description, |all, limit| all.description_characters = limit, "description-too-long");
    check(&compatibility, |a, limit| a.compatibility_characters = limit, "compatibility-too-long");
    check(&body, |limits, limit| limits.body_lines = limit, "body-too-long");
}

#[test]
fn names_that_look_alike_are_confusable() {
    let pairs = rows::<(String, String, bool)>(include_str!("../data/alike-names.json"));
    for (one, other, are_alike) in pairs {
        assert_eq!(are_confusable(&one, &other), are_alike, "`{one}` and `{other}`");
        assert_eq!(are_confusable(&other, &one), are_alike, "and the other way round");
    }
}
