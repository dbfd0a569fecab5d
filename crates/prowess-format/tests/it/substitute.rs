//! Arguments in a body.

use std::borrow::Cow;

use proptest::prelude::*;
use prowess_format::substitute::{
    self, Arguments, MAX_INSERTED_BYTES, Parameter, is_parameter_name, parameters,
};
use prowess_format::{Code, Profile, parse};

use crate::support::{rows, skill};

const NAMES: &[Parameter<'_>] = &[
    Parameter { name: "name", default: None },
    Parameter { name: "title", default: Some("Commander") },
];

fn with_names<'a>(values: &'a [(&'a str, &'a str)]) -> Arguments<'a> {
    Arguments { parameters: NAMES, values, ..Arguments::default() }
}

#[track_caller]
fn check(body: &str, arguments: &Arguments<'_>, expected: &str, codes: &[Code]) {
    let done = substitute::substitute(body, arguments);
    assert_eq!(done.text, expected);
    let found: Vec<_> = done.diagnostics.iter().map(|found| found.code.clone()).collect();
    assert_eq!(found, codes, "{:#?}", done.diagnostics);
    for found in &done.diagnostics {
        assert!(!found.help.is_empty(), "a finding says what to do");
        let span = found.span.clone().unwrap_or_default();
        assert!(body.get(span).is_some(), "a place lies in the body");
    }
}

#[test]
fn placeholders_are_filled_and_what_is_none_stays() {
    let parameters = [
        Parameter::new("name"),
        Parameter::with_default("title", "Captain"),
        Parameter::new("name"),
        Parameter::new("not-a-name"),
    ];
    let values = [("name", "Bob")];
    let arguments = Arguments { parameters: &parameters, values: &values, ..Arguments::default() };
    check(
        "Dear $name, dear {{ title }}!\nA plain \\$name, a price of $5x, and {{ other }}.\n${name}",
        &arguments,
        "Dear Bob, dear Captain!\nA plain $name, a price of $5x, and {{ other }}.\nBob",
        &[
            substitute::PARAMETER_DUPLICATE,
            substitute::PARAMETER_INVALID,
            substitute::PLACEHOLDER_UNKNOWN,
        ],
    );
}

type Row = (String, Option<Vec<(String, String)>>, String, String, String);

/// Each body, with the values of its parameters if it has any, and the text that was typed: what
/// they give, and the findings. A value is never expanded, nor do two make a placeholder between
/// them; without parameters a shell's dollars are left alone; what was typed is added where the
/// body has no place for it.
#[test]
fn each_form_is_read_by_its_grammar() {
    for (body, values, text, expected, found) in
        rows::<Row>(include_str!("../data/substitutions.json"))
    {
        let parameters: &[_] = if values.is_some() { NAMES } else { &[] };
        let values = values.unwrap_or_default();
        let values: Vec<_> = values.iter().map(|(name, value)| (&**name, &**value)).collect();
        let arguments = Arguments { parameters, values: &values, text: &text };
        let codes: Vec<_> = found.split_whitespace().map(|code| code.to_owned().into()).collect();
        check(&body, &arguments, &expected, &codes);
    }
}

#[test]
fn an_unknown_placeholder_is_reported_once_with_its_place() {
    let arguments = with_names(&[]);
    let body = "é\nSee {{ other }} and $other and $names.";
    let done = substitute::substitute(body, &arguments);
    let reported: Vec<_> = done.diagnostics.iter().map(ToString::to_string).collect();
    assert_eq!(
        reported,
        [
            "2:5: warning[placeholder-unknown]: the placeholder `other` has no parameter; it stays as it is",
            "2:32: warning[placeholder-unknown]: the placeholder `names` has no parameter; it stays as it is",
        ]
    );
    assert!(matches!(done.text, Cow::Borrowed(_)), "nothing is copied where nothing changes");
}

#[test]
fn names_have_a_grammar() {
    for good in ["_ok", "a1_b2", "A", "_"] {
        assert!(is_parameter_name(good), "{good:?} can be a name");
    }
    for bad in ["", "1abc", "bad-name", "bad name", "é", "a.b", "ARGUMENTS", " a"] {
        assert!(!is_parameter_name(bad), "{bad:?} cannot be a name");
    }
}

#[track_caller]
fn check_parameters(yaml: &str, expected: &[(&str, Option<&str>)]) {
    let file = skill(&format!("name: a\ndescription: b\n{yaml}"));
    let document = parse(&file, Profile::Lenient).document.expect("it is read");
    let found = parameters(&document.frontmatter.fields);
    let found: Vec<_> = found.iter().map(|found| (found.name, found.default)).collect();
    assert_eq!(found, expected, "{yaml}");
}

#[test]
fn a_frontmatter_declares_parameters_in_three_forms() {
    check_parameters("", &[]);
    check_parameters(
        "arguments: issue branch, x\n",
        &[("issue", None), ("branch", None), ("x", None)],
    );
    check_parameters("arguments: [issue, branch]\n", &[("issue", None), ("branch", None)]);
    check_parameters(
        "arguments:\n  - name: issue\n    default: '1'\n  - name: branch\n  - default: x\n  - [x]\n",
        &[("issue", Some("1")), ("branch", None)],
    );
    check_parameters("arguments:\n  a: b\n", &[]);
}

#[test]
fn what_is_put_in_is_bounded() {
    let value = "x".repeat(MAX_INSERTED_BYTES / 2);
    let values = [("name", value.as_str())];
    let arguments = with_names(&values);
    let expected = format!("{value}{value}$name $title");
    check("$name$name$name $title", &arguments, &expected, &[substitute::INSERTED_TOO_LARGE]);
}

#[test]
fn hostile_bodies_are_one_pass() {
    let arguments = with_names(&[("name", "x")]);
    for piece in ["{", "$", "\\", "{{ ", "${a", "{{a", "$a", "{{ a }}", "\\$", "${a}\n"] {
        let body = piece.repeat(50_000);
        let done = substitute::substitute(&body, &arguments);
        assert!(done.diagnostics.len() <= 100, "findings of {piece:?} are bounded");
        assert!(done.text.len() <= body.len(), "nothing is put in");
    }
    let many: String = (0..100_000).map(|number| format!("${{n{number}}}\n")).collect();
    let done = substitute::substitute(&many, &arguments);
    assert_eq!(done.diagnostics.len(), 100, "a hundred findings are enough");
}

fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        prop::sample::select(
            &[
                "$name", "${name}", "{{ name }}", "{{title}}", "$title", "$ARGUMENTS",
                "${ARGUMENTS}", "\\", "$", "{", "}", "{{", "}}", " ", "x", "é", "$other", "\n"
            ][..]
        )
        .prop_map(str::to_owned),
        "\\PC{0,3}",
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn values_are_put_in_as_they_are(body in pieces(), values in prop::array::uniform3(pieces())) {
        // Marks that no piece holds stand in for the values; putting the values for the marks
        // afterwards gives the same, so nothing looked into them.
        let marks = ["\u{1}", "\u{2}", "\u{3}"];
        let run = |[name, title, text]: [&str; 3]| {
            let values = [("name", name), ("title", title)];
            let arguments = Arguments { text, ..with_names(&values) };
            let done = substitute::substitute(&body, &arguments);
            (done.text.into_owned(), done.diagnostics)
        };
        let (marked, reported) = run(marks);
        // A text that was typed has a place, if only below the body.
        let values = values.map(|value| value + "x");
        let (filled, of_values) = run(values.each_ref().map(String::as_str));
        let mut expected = String::new();
        for character in marked.chars() {
            match marks.iter().position(|mark| mark.starts_with(character)) {
                Some(at) => expected.push_str(&values[at]),
                None => expected.push(character),
            }
        }
        prop_assert_eq!(&filled, &expected);
        prop_assert_eq!(reported, of_values, "values change nothing of what is reported");
        let inserted: usize = marked.chars().filter_map(|character| {
            marks.iter().position(|mark| mark.starts_with(character)).map(|at| values[at].len())
        }).sum();
        let most = body.len() + inserted + "\n\nARGUMENTS: ".len();
        prop_assert!(filled.len() <= most, "only values make a body longer");
    }

    #[test]
    fn without_parameters_and_text_a_body_without_the_whole_stays(body in "[${}\\\\a {ARG}\n]{0,30}") {
        prop_assume!(!body.contains("ARGUMENTS"));
        let done = substitute::substitute(&body, &Arguments::default());
        prop_assert_eq!(&done.text, &body);
    }
}
