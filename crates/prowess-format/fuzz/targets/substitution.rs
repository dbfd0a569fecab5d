//! Any parameters, values and body give a text of bounded size, with findings on places of the body.
//!
//! An input is parameters, the text that was typed and a body, with lines `===` between them. A
//! parameter is `name`, `name=value` or `name?default`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use prowess_format::substitute::{Arguments, MAX_INSERTED_BYTES, Parameter, substitute};

fuzz_target!(|text: &str| {
    let mut parts = text.splitn(3, "\n===\n");
    let mut part = || parts.next().unwrap_or_default();
    let (declared, typed, body) = (part(), part(), part());
    let parameters: Vec<_> = declared.lines().map(parameter).collect();
    let values: Vec<_> = declared.lines().filter_map(|line| line.split_once('=')).collect();
    let arguments =
        Arguments { parameters: &parameters, values: &values, text: typed, ..Arguments::default() };
    check(body, &arguments);
    check(body, &Arguments { parameters: &[], values: &[], ..arguments });
});

fn parameter(line: &str) -> Parameter<'_> {
    match line.split_once('?') {
        Some((name, default)) => Parameter::with_default(name, default),
        None => Parameter::new(line.split('=').next().unwrap_or_default()),
    }
}

fn check(body: &str, arguments: &Arguments<'_>) {
    let done = substitute(body, arguments);
    let most = body.len() + MAX_INSERTED_BYTES + arguments.text.len() + "\n\nARGUMENTS: ".len();
    assert!(done.text.len() <= most, "the text is bounded");
    for found in &done.diagnostics {
        assert!(!found.message.is_empty() && !found.help.is_empty(), "a finding has its words");
        if let Some(span) = &found.span {
            assert!(body.get(span.clone()).is_some(), "{span:?} lies in the body");
        }
    }
    if !body.contains(['$', '{']) && arguments.text.is_empty() {
        assert_eq!(done.text, body, "a body without placeholders stays as it is");
    }
}
