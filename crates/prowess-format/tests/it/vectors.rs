//! The code beside its models.

use prowess_format::{
    Diagnostic, Directory, Head, Limit, LimitSeverity, Limits, Profile, Rules, SkillName,
    Summarized, check_directory, codes, parse, parse_in, parse_with, summarize,
};
use prowess_testkit::replay_model;
use serde_json::Value;

/// A file that cannot be used for another reason has no body to compare. One that a line `...`
/// closes is used where it is repaired.
#[test]
fn fence_ends_the_fields_as_in_the_model() {
    replay_model(include_str!("../../model/vectors/fence.jsonl"), |question, model| {
        let read = |profile| {
            let parsed = parse(question.text(0).as_bytes(), profile);
            let is_in_text = |found: &Diagnostic| {
                let other = [codes::FRONTMATTER_FENCE_IN_TEXT, codes::FRONTMATTER_NOT_FIRST];
                other.contains(&found.code)
            };
            parsed.document.filter(|_| !parsed.diagnostics.iter().any(is_in_text))
        };
        let repaired = || read(Profile::Lenient).filter(|_| model[0] == 1);
        let Some(document) = read(Profile::Spec).or_else(repaired) else { return model.to_vec() };
        let body = document.body.chars().map(|character| i64::from(u32::from(character)));
        std::iter::once(1).chain(body).collect()
    });
}

#[test]
fn skill_is_valid_as_in_the_model() {
    replay_model(include_str!("../../model/vectors/skill.jsonl"), |question, _| {
        let (name, directory) = (question.text(0), question.text(3));
        let (counts, numbers) = (question.counts(1), question.numbers(2));
        let description = " ".repeat(counts[0]) + &"a".repeat(counts[1]) + &"\n".repeat(counts[2]);
        let lines = usize::try_from(numbers[2]).expect("no number is negative");
        let compatibility = match usize::try_from(numbers[0]) {
            Ok(length) => format!("compatibility: {}\n", Value::from("a".repeat(length))),
            Err(_) => String::new(),
        };
        let unknown = if numbers[1] == 1 { "x-unknown: 1\n" } else { "" };
        let head = |name: &str| {
            let [name, description] = [name, &description].map(Value::from);
            format!("---\nname: {name}\ndescription: {description}\n{compatibility}{unknown}---\n")
        };
        let first = head(name);
        let file = first.clone() + &"a\n".repeat(lines);
        let described =
            format!("---\nname: pdf\ndescription: {}\n---\n", Value::from(&*description));
        let head = Head { bytes: first.as_bytes(), is_whole_file: true };
        let summarized = summarize(head, None, Profile::Spec);
        let body_lines = Limit { max: 500, severity: LimitSeverity::Error };
        let limits = Limits { body_lines, ..Limits::default() };
        let rules = Rules { limits, ..Rules::of(Profile::Spec) };
        let in_place = parse_in(file.as_bytes(), Some(Directory::from(directory)), &rules);
        [
            SkillName::new(name).is_ok(),
            parse(described.as_bytes(), Profile::Spec).document.is_some(),
            check_directory(name, directory, Profile::Spec).is_none(),
            matches!(summarized, Summarized::Done(Some(_), _)),
            parse_with(file.as_bytes(), &rules).document.is_some(),
            in_place.document.is_some(),
        ]
        .map(i64::from)
        .to_vec()
    });
}
