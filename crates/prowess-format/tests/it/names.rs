//! The grammar of names.

use prowess_format::{
    Directory, Head, Limit, LimitSeverity, Limits, NameError, NameRule, Profile, Rules, SkillName,
    Summarized, are_confusable, check_directory, parse_in, parse_with, summarize_with,
};

use crate::support::{codes, skill};

#[test]
fn bad_names() {
    let cases: &[(&str, NameError)] = &[
        ("", NameError::Empty),
        ("PDF-Processing", NameError::UpperCase('P')),
        ("pdf_processing", NameError::InvalidCharacter('_')),
        ("has space", NameError::InvalidCharacter(' ')),
        ("pdf-tools ", NameError::InvalidCharacter(' ')),
        ("pdf.x", NameError::InvalidCharacter('.')),
        ("..", NameError::InvalidCharacter('.')),
        ("pdf/x", NameError::InvalidCharacter('/')),
        ("skills.load", NameError::InvalidCharacter('.')),
        ("my-skill\n", NameError::InvalidCharacter('\n')),
        ("caf\u{e9}", NameError::InvalidCharacter('\u{e9}')),
        ("p\u{430}yment", NameError::InvalidCharacter('\u{430}')),
        ("pdf\u{2010}tools", NameError::InvalidCharacter('\u{2010}')),
        ("pdf\u{200b}", NameError::InvalidCharacter('\u{200b}')),
        ("-", NameError::LeadingHyphen),
        ("-pdf", NameError::LeadingHyphen),
        ("pdf-", NameError::TrailingHyphen),
        ("pdf--processing", NameError::DoubleHyphen),
    ];
    for (name, expected) in cases {
        let error = SkillName::new(name).expect_err("a rule is broken");
        assert_eq!(&error, expected, "the rule that `{name}` breaks");
    }
    let long = SkillName::new(&"a".repeat(65));
    assert_eq!(long, Err(NameError::TooLong(65)), "the bound is 64 characters");
}

#[test]
fn names_are_compared_in_their_normal_form() {
    let full_width = SkillName::new("ｐｄｆ").expect("NFKC makes it ASCII");
    assert_eq!(full_width.as_str(), "pdf");
    assert!(check_directory("ｐｄｆ", "pdf", Profile::Spec).is_none());
    let ligature = SkillName::new("\u{fb01}le").expect("NFKC makes two letters of `ﬁ`");
    assert_eq!(ligature.as_str(), "file");
    assert!(check_directory("\u{fb01}le", "file", Profile::Spec).is_none());
}

#[test]
fn reserved_names() {
    let reserved = "skills-load skills-unload skills-read system bash mcp default con prn aux nul \
                    com1 com9 lpt1 lpt9";
    for name in reserved.split(' ') {
        let file = skill(&format!("name: {name}\ndescription: x\n"));
        for profile in [Profile::Lenient, Profile::Spec] {
            assert_eq!(codes(&file, profile), ["name-reserved"], "`{name}` under {profile}");
        }
    }
    for name in ["com0", "com10", "console", "skills", "bash-guide"] {
        let is_reserved = SkillName::new(name).is_ok_and(|name| name.is_reserved());
        assert!(!is_reserved, "`{name}` is free");
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
    let Summarized::Done(summary, found) =
        summarize_with(Head { bytes: &file, is_whole_file: true }, None, &rules)
    else {
        panic!("the whole file is there")
    };
    assert_eq!(found, parsed.diagnostics, "both readers report the same of `{name}`");
    let of_document = parsed.document.map(|document| document.frontmatter.name);
    assert_eq!(summary.map(|it| it.name.into_owned()), of_document, "`{name}` in both readers");
    let found = found.into_iter().map(|found| format!("{} {}", found.severity, found.code));
    (found.collect(), of_document)
}

#[test]
fn lenient_accepts_names_outside_the_grammar() {
    let rules = Rules::default();
    for (name, id) in [
        ("Ahrefs Automation", "ahrefs-automation"),
        ("pdf_processing", "pdf-processing"),
        ("-21risk-automation", "21risk-automation"),
        ("pdf--x-", "pdf-x"),
        ("C++ & Rust: 2.0", "c-rust-2-0"),
        ("Über Café", "über-café"),
        ("数据分析", "数据分析"),
        ("हिन्दी सहायक", "हिन्दी-सहायक"),
        ("Анализ PDF", "анализ-pdf"),
        ("スキル作成 Helper", "スキル作成-helper"),
        ("می\u{200c}خواهم", "میخواهم"),
        ("क्\u{200d}ष", "क्ष"),
    ] {
        let (codes, read) = lenient(name);
        assert_eq!(codes, ["warning name-relaxed"], "`{name}` is accepted with a warning");
        assert_eq!(read.as_deref(), Some(name), "the declared name stays as it is");
        assert_eq!(rules.id_of(name), id, "the id of `{name}`");
    }
    assert_eq!(rules.id_of("pdf-forms"), "pdf-forms");
    let any = Rules { name_rule: NameRule::Any, ..Rules::default() };
    assert_eq!(any.id_of("My Skill"), "My Skill", "a host with a rule of its own has no slugs");
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
fn lenient_gives_names_of_other_kinds_safe_ids() {
    let rules = Rules::of(Profile::Lenient);
    for (name, id) in [
        ("CFO / Chief Officer", "cfo-chief-officer"),
        ("Flutter CI/CD", "flutter-ci-cd"),
        ("shadcn/ui", "shadcn-ui"),
        ("owner/repo@skill", "owner-repo-skill"),
        ("pdf\\\\x", "pdf-x"),
        ("llama.cpp Engine", "llama-cpp-engine"),
        ("../../.bashrc", "bashrc"),
        (" pdf ", "pdf"),
        ("pdf\\n", "pdf"),
        // Of a word in scripts that look alike, only what looks like nothing else.
        ("Pa\u{443}ment Helper", "pa-ment-helper"),
        ("\u{3b1}pple pie", "pple-pie"),
        // Persian with a joiner, a script that few write, a decomposed letter.
        ("می\u{200c}خواهم", "میخواهم"),
        ("ᎠᏍᏆᎵ", "ꭰꮝꮖꮅ"),
        ("Re\u{301}sume\u{301}", "résumé"),
    ] {
        let (codes, read) = lenient(name);
        assert_eq!(codes, ["warning name-relaxed"], "{name}");
        assert_eq!(rules.id_of(&read.expect("it is accepted")), id, "{name}");
    }
    for (name, id) in [
        ("Bash", "bash-skill"),
        ("Skills Load", "skills-load-skill"),
        ("skills_read", "skills-read-skill"),
        ("COM1", "com1-skill"),
    ] {
        let (codes, read) = lenient(name);
        assert_eq!(codes, ["warning name-relaxed", "warning name-reserved"], "{name}");
        assert_eq!(rules.id_of(&read.expect("it is accepted")), id, "{name}");
    }
    assert_eq!(lenient("mcp").0, ["warning name-reserved"]);
    let any = Rules { name_rule: NameRule::Any, ..Rules::default() };
    assert_eq!(any.id_of("Bash"), "Bash-skill", "no rule of names gives a reserved id");
}

#[test]
fn help_never_asks_for_the_name_that_is_there() {
    for (name, part) in [("小说拆条", "registry.name_rule: unicode"), ("Foo", "to `foo`")] {
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
                let head = Head { bytes: &file, is_whole_file: true };
                let Summarized::Done(summary, found) = summarize_with(head, directory, &rules)
                else {
                    panic!("the whole file is there")
                };
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

#[test]
fn each_rule_accepts_its_own_names() {
    use NameRule::{AgentSkills, Any, KebabLetterFirst, Unicode};
    let longest = "a".repeat(64);
    let too_long = "a".repeat(65);
    let longest_letters = "字".repeat(64);
    // Names with a blank or none are apart; some are alphanumeric to Rust, and symbols or marks by
    // their category.
    let cases: &[(&[NameRule], &str, &[&str])] = &[
        (
            &[AgentSkills, KebabLetterFirst, Unicode, Any],
            "pdf a abc123 device-123 pdf-reading-and-writing-in-one-go ｐｄｆ a\u{24d0}",
            &[&longest],
        ),
        (&[], "pdf/x ../x a\u{200b} .. a\\b", &[&too_long, "", "my-skill\n", " a"]),
        (&[AgentSkills, Unicode, Any], "3d-model 0-device 1", &[]),
        (&[KebabLetterFirst, Any], "pdf- pdf--processing", &[]),
        (
            &[Any],
            "-pdf PDF-Processing Upper pdf_processing pdf.x CAFÉ É \u{1f130} a\u{345} \
             a\u{20dd}",
            &["has space"],
        ),
        (&[Unicode, Any], "café cafe\u{301} 技能", &[&longest_letters]),
    ];
    for (rules, names, others) in cases {
        for name in names.split(' ').filter(|it| !it.is_empty()).chain(others.iter().copied()) {
            assert_eq!(accepted(name), *rules, "{name:?}");
        }
    }
    let long = SkillName::with_rule(&"字".repeat(65), Unicode);
    assert_eq!(long, Err(NameError::TooLong(65)), "characters are counted, not bytes");
    let digit = SkillName::with_rule("3d", KebabLetterFirst);
    assert_eq!(digit, Err(NameError::LeadingDigit('3')));
}

#[test]
fn a_name_that_other_clients_refuse_is_reported() {
    let cases: &[(&str, NameRule, &[&str])] = &[
        ("pdf", NameRule::AgentSkills, &[]),
        ("pdf", NameRule::KebabLetterFirst, &[]),
        ("pdf", NameRule::Unicode, &[]),
        ("3d-model", NameRule::AgentSkills, &["name-not-portable"]),
        ("3d-model", NameRule::Unicode, &["name-not-portable"]),
        ("pdf-", NameRule::KebabLetterFirst, &["name-not-standard"]),
        ("café", NameRule::Unicode, &["name-not-standard"]),
        ("café", NameRule::AgentSkills, &["name-relaxed"]),
        ("My Skill", NameRule::KebabLetterFirst, &["name-invalid"]),
        ("My Skill", NameRule::Any, &["name-not-standard"]),
        ("../x", NameRule::Any, &["name-invalid"]),
        ("Skills.Load", NameRule::Any, &["name-not-standard", "name-reserved"]),
    ];
    for (name, name_rule, expected) in cases {
        let rules = Rules { name_rule: *name_rule, ..Rules::of(Profile::Lenient) };
        let file = skill(&format!("name: {name}\ndescription: x\n"));
        let found = parse_with(&file, &rules).diagnostics;
        let codes: Vec<_> = found.iter().map(|found| found.code.as_str()).collect();
        assert_eq!(codes, *expected, "`{name}` under {name_rule}");
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
            let head = Head { bytes: file, is_whole_file: true };
            let Summarized::Done(summary, of_head) = summarize_with(head, None, &rules) else {
                panic!("the whole file is there")
            };
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
    let alike = [
        ("p\u{430}yment", "payment"),
        ("pdf-tools", "pdf_tools"),
        ("pdf-tools", "PDF-tools"),
        ("pdf-tools", "pdf-tools "),
        ("pdf-tools", "pdf\u{2010}tools"),
        ("modern", "modem"),
    ];
    for (one, other) in alike {
        assert!(are_confusable(one, other), "`{one}` looks like `{other}`");
        assert!(are_confusable(other, one), "and the other way round");
    }
    for (one, other) in [("pdf", "pdf"), ("pdf", "ｐｄｆ"), ("pdf", "xlsx"), ("pdf-a", "pdf-b")]
    {
        assert!(!are_confusable(one, other), "`{one}` is not taken for `{other}`");
    }
}
