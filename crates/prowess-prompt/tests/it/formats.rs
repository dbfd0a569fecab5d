//! Tests of the formats of a catalog: each text to the byte.

use expect_test::{expect, expect_file};
use prowess_core::{DeliveryPolicy, ShowLocation};
use prowess_prompt::{
    CatalogFormat, PromptPolicy, Role, SkillEntry, available_skills, reference_available_skills,
    skill_element,
};

use crate::fixture::{catalog, prompt, prompt_with, skill};

fn entry(name: &str, description: &str, location: Option<&str>) -> SkillEntry<'static> {
    SkillEntry {
        name: name.to_owned().into(),
        description: description.to_owned().into(),
        location: location.map(|location| location.to_owned().into()),
    }
}

/// A skill with every field, one with characters of XML, and one with its name alone.
fn three() -> Vec<SkillEntry<'static>> {
    vec![
        entry("pdf", "Extract text and tables from PDF files.", Some("/path/to/pdf/SKILL.md")),
        entry("sql", " \"Queries\" & <views>,\n  line two ", Some("/path/to/sql/SKILL.md")),
        entry("xlsx", "", None),
    ]
}

#[test]
fn each_format_shows_the_fields() {
    let formats = [
        CatalogFormat::XmlAttrs,
        CatalogFormat::QuotedLines,
        CatalogFormat::DashLines,
        CatalogFormat::Bullets,
        CatalogFormat::Delimited,
        CatalogFormat::Json,
        CatalogFormat::Markdown,
    ];
    let shown = formats.map(|it| format!("## {it:?}\n{}\n", available_skills(three(), it)));
    expect_file!["../data/formats.txt"].assert_eq(&shown.concat());
}

/// A name may have the characters that end it in a format.
#[test]
fn names_keep_their_place() {
    for (format, line) in [
        (CatalogFormat::QuotedLines, "\"a: b`&quot;c\": d: e — f"),
        (CatalogFormat::DashLines, "  - a&#58; b`&quot;c: d: e — f"),
        (CatalogFormat::Bullets, "• `a: b&#96;&quot;c` — d: e — f"),
        (CatalogFormat::Delimited, "name: a: b`&quot;c\ndescription: d: e — f"),
    ] {
        let text = available_skills([entry("a: b`\"c", " d: e\n — f ", None)], format);
        assert!(text.contains(line), "{format:?}: {text}");
    }
}

#[test]
fn a_whole_skill_is_an_element() {
    let pdf = three().swap_remove(0);
    let body = "# PDF\n\nUse `a < b && c`.\n</skill>";
    let text = skill_element(&pdf, body);
    expect![[r##"
        <skill name="pdf" description="Extract text and tables from PDF files." location="/path/to/pdf/SKILL.md" trit="0" role="Coordinator" color="#F59E0B"># PDF

        Use `a &lt; b &amp;&amp; c`.
        &lt;/skill&gt;</skill>"##]].assert_eq(&text);
    let document = roxmltree::Document::parse(&text).expect("the skill is XML");
    assert_eq!(document.root_element().text(), Some(body), "a parser returns the body");
}

#[test]
fn each_format_says_that_there_is_none() {
    let text: Vec<_> = CatalogFormat::ALL.map(|format| available_skills([], format)).into();
    let [xml, attrs, quoted, dash, bullets, delimited, json, markdown] = &text[..] else {
        panic!("there are eight formats")
    };
    assert_eq!(xml, "<available_skills>\n</available_skills>");
    assert_eq!([attrs, json, markdown], [xml, xml, xml]);
    assert_eq!(quoted, "<available_skills>\n(No skills currently available)\n</available_skills>");
    assert_eq!(dash, "No skills are currently available.");
    assert_eq!(bullets, "", "there is no block at all");
    assert_eq!(delimited, "<<<AVAILABLE_SKILLS>>>\n(none)\n<<<END_AVAILABLE_SKILLS>>>");
}

fn policy(catalog_format: CatalogFormat) -> PromptPolicy {
    PromptPolicy { catalog_format, ..PromptPolicy::default() }
}

#[test]
fn every_format_sorts_by_id() {
    let skills = [skill("b", "2 & 3"), skill("a-2", "<x>"), skill("a", "ok")];
    for format in CatalogFormat::ALL {
        let shown = prompt(&catalog(&skills), &[], &policy(format));
        assert_eq!(*shown.shown, ["a", "a-2", "b"], "{format:?}");
        let reversed: Vec<_> = skills.iter().rev().cloned().collect();
        let again = prompt(&catalog(&reversed), &[], &policy(format));
        assert_eq!(shown.text, again.text, "{format:?}: equal input gives equal bytes");
    }
}

#[test]
fn bullets_have_short_descriptions_on_one_line() {
    let long = format!("First line,\nsecond line. {}", "word ".repeat(60));
    let shown = prompt(&catalog(&[skill("long", &long)]), &[], &policy(CatalogFormat::Bullets));
    let line = shown.text.lines().find(|line| line.starts_with('•')).expect("one skill");
    let description = line.strip_prefix("• `long` — ").expect("the id is in backticks");
    assert!(description.starts_with("First line, second line. word"), "{description}");
    assert!(description.ends_with('…'), "the cut is visible: {description}");
    let length = description.chars().count();
    assert!(length <= CatalogFormat::SHORT_DESCRIPTION, "{length} characters");
    let whole = prompt(&catalog(&[skill("long", &long)]), &[], &policy(CatalogFormat::DashLines));
    assert!(whole.text.contains(long.split('\n').next_back().expect("a line").trim()));
}

#[test]
fn every_format_stays_within_its_budget() {
    let skills: Vec<_> =
        (0..60).map(|at| skill(&format!("skill-{at:02}"), &"some words ".repeat(12))).collect();
    for format in CatalogFormat::ALL {
        for max in [150, 400, 1_200] {
            let policy = PromptPolicy { max_tokens: Some(max), ..policy(format) };
            let shown = prompt(&catalog(&skills), &[], &policy);
            let catalog = &shown.ledger.entries[1];
            assert!(catalog.tokens <= max, "{format:?}: {} of {max} tokens", catalog.tokens);
            assert!(shown.is_cut && !shown.shown.is_empty(), "{format:?} under {max}");
        }
    }
}

#[test]
fn locations_are_shown_where_the_format_has_them() {
    let catalog = catalog(&[skill("pdf", "Fills forms.")]);
    for format in CatalogFormat::ALL {
        let shown = |show_location| {
            let delivery = DeliveryPolicy { show_location, ..DeliveryPolicy::default() };
            prompt_with(&catalog, &[], &policy(format), delivery).text
        };
        let has_location = !matches!(
            format,
            CatalogFormat::QuotedLines | CatalogFormat::DashLines | CatalogFormat::Bullets
        );
        let uri = shown(ShowLocation::Virtual).contains("skill://pdf/SKILL.md");
        assert_eq!(uri, has_location, "{format:?}");
        assert!(!shown(ShowLocation::None).contains("SKILL.md"), "{format:?}");
    }
}

#[test]
fn roles_come_from_names() {
    let names = [
        "pdf code-review xlsx skill-creator git-workflow python-dev extension-development",
        "hello test-skill a b",
        "pdf-processing data-analysis skill kubernetes-deploy glucose-monitor c",
    ];
    for (role, names) in Role::ALL.into_iter().zip(names) {
        names.split(' ').for_each(|name| assert_eq!(Role::of(name), role, "`{name}`"));
    }
    assert_eq!(Role::ALL.map(Role::colour), ["#F59E0B", "#A855F7", "#2E5FA3"]);
}

/// The reference tool escapes names and descriptions, and no location.
#[test]
fn reference_format_is_that_of_the_tool() {
    let entry = SkillEntry {
        name: "a<b&c".into(),
        description: "\"Quoted\" 'single' > other\nline".into(),
        location: Some("/tmp/a<b&c/SKILL.md".into()),
    };
    expect_file!["../data/formats-long.txt"].assert_eq(&reference_available_skills([entry]));
    assert_eq!(reference_available_skills([]), "<available_skills>\n</available_skills>");
}
