//! Twice the file is at most 2.3 times the work, however the file is made.
//!
//! These stand beside the code and not in `tests/it`: the counter is there for the crate's own
//! tests only.

use crate::substitute::{Arguments, Parameter, substitute};
use crate::{Head, Profile, parse, summarize};

use super::STEPS;

/// The work of reading a file, whole and for its summary, under a profile.
fn steps(file: &[u8], profile: Profile) -> u64 {
    STEPS.with(|steps| steps.set(0));
    let _ = parse(file, profile);
    let _ = summarize(Head { bytes: file, is_whole_file: true }, Some("pdf"), profile);
    STEPS.with(std::cell::Cell::get)
}

/// Reads files of `n`, `2n` and `4n` bytes.
fn check(shape: &str, n: usize, file: impl Fn(usize) -> Vec<u8>) {
    // The others differ in severities only.
    for profile in [Profile::Lenient, Profile::Extended] {
        let work = [n, 2 * n, 4 * n].map(|bytes| steps(&file(bytes), profile));
        assert_grows_with_the_input(&format!("{shape} under {profile}"), &work);
    }
}

/// Each count is of an input twice as long as the one before.
fn assert_grows_with_the_input(shape: &str, work: &[u64]) {
    for (before, after) in work.iter().zip(&work[1..]) {
        assert!(*before > 0, "{shape}: nothing is counted");
        // 2.3 in whole numbers.
        assert!(after * 10 < before * 23, "{shape}: {before} steps become {after}");
    }
}

/// Frontmatter that ends with as many copies of a unit as fit.
fn storm(before: &str, unit: &str) {
    check(&format!("{before:?} and many {unit:?}"), 2_000, |bytes| {
        let storm = unit.repeat(bytes / unit.len());
        format!("---\nname: pdf\ndescription: x\n{before}{storm}\n---\nBody\n").into_bytes()
    });
}

#[test]
fn storms_of_brackets_and_braces() {
    for unit in ["[", "{", "[{", "[],", "{},", "a: {", "- [", "]", "}", "[a,", "? [", "{a: b}, "] {
        storm("", unit);
        storm("x: ", unit);
        storm("x: [", unit);
        storm("description: [", unit);
    }
}

#[test]
fn storms_of_quotes() {
    for unit in ["\"", "'", "''", "\"\" ", "\\\"", "'a' ", "a'b\"", "x: \"\n", "y: 'a\n  b\n"] {
        storm("", unit);
        storm("x: '", unit);
        storm("x: \"", unit);
        storm("license: [", unit);
    }
}

#[test]
fn storms_of_anchors_aliases_and_tags() {
    for unit in ["&a ", "*a ", "!a ", "- &a b\n", "- *a\n", "&", "*", "!", "<<: a\n"] {
        storm("", unit);
        storm("x:\n", unit);
    }
}

#[test]
fn storms_of_colons_and_lines() {
    for unit in [
        ": ", "a: ", "a: b: c\n", "a: b # c: d\n", " # ", ":", "- ", "- a\n", "\n", " ", "|\n",
        "x: |\n", "x: >\n\n\n", "# c\n", "x:\n", " x:\n", "\t", "---\n ", "é: é: é\n", "...a\n",
        "--- a\n",
    ] {
        storm("", unit);
        storm("x: ", unit);
        storm("x: |\n  ", unit);
        storm("metadata:\n  ", unit);
        storm("compatibility: a: ", unit);
    }
}

#[test]
fn many_keys_and_values() {
    let numbered = |line: fn(usize) -> String| {
        move |bytes: usize| {
            let lines: String = (0..bytes / 12).map(line).collect();
            format!("---\nname: pdf\ndescription: x\n{lines}---\nBody\n").into_bytes()
        }
    };
    check("many keys", 2_000, numbered(|number| format!("k{number}: v\n")));
    check("many keys with a colon", 2_000, numbered(|number| format!("k{number}: a: b\n")));
    check("many blocks", 2_000, numbered(|number| format!("k{number}: |\n  v\n")));
    check("many anchors", 2_000, numbered(|number| format!("k{number}: &a{number} v\n")));
    check("many unclosed quotes", 2_000, numbered(|number| format!("k{number}: 'v\n")));
    check("many tags", 2_000, |bytes| {
        let items = "a, 1, ".repeat(bytes / 6);
        format!("---\nname: pdf\ndescription: x\ntags: [{items}a]\n---\nBody\n").into_bytes()
    });
    check("many arguments", 2_000, |bytes| {
        let items: String =
            (0..bytes / 20).map(|number| format!("  - name: a{number}\n")).collect();
        format!("---\nname: pdf\ndescription: x\narguments:\n{items}---\nBody\n").into_bytes()
    });
}

#[test]
fn long_lines() {
    // The largest are files of nearly 2 MiB.
    let largest = 500 * 1024;
    for unit in ["x", "é", "\n", "---", "\n---x", "\n...x", "---\n", "\u{200b}", "\r", "[", "'"] {
        let half = if matches!(unit, "x" | "\n---x") { largest } else { 20 * 1024 };
        check(&format!("a body of {unit:?}"), half, |bytes| {
            let body = unit.repeat(bytes / unit.len());
            format!("---\nname: pdf\ndescription: x\n---\n{body}").into_bytes()
        });
        check(&format!("no fence, {unit:?}"), half, |bytes| {
            unit.repeat(bytes / unit.len()).into_bytes()
        });
        check(&format!("no closing fence, {unit:?}"), half, |bytes| {
            let rest = unit.repeat(bytes / unit.len());
            format!("---\nname: pdf\ndescription: {rest}").into_bytes()
        });
        storm("description: ", unit);
        storm("allowed-tools: ", unit);
    }
}

#[test]
fn arguments_in_bodies() {
    let parameters = [Parameter::new("a"), Parameter::with_default("b", "value of b")];
    let work = |body: &str| {
        STEPS.with(|steps| steps.set(0));
        let values = &[("a", "$a {{ b }}"), ("c", "unused")];
        let arguments = Arguments { parameters: &parameters, values, ..Arguments::default() };
        let _ = substitute(body, &arguments);
        STEPS.with(std::cell::Cell::get)
    };
    for unit in [
        "$a ", "${b}", "{{ a }}", "{{", "{", "$", "\\", "\\$", "${", "${a", "{{ a ", "{{ ",
        "{{\t\t", "$unknown", "$x1y2 ", "{{ none }} ", "}}", "é$a",
    ] {
        for before in ["", "{{ ", "${", "$", "{{ a"] {
            let bodies = [2_000, 4_000, 8_000]
                .map(|bytes| before.to_owned() + &unit.repeat(bytes / unit.len()));
            let steps = bodies.map(|body| work(&body));
            assert_grows_with_the_input(&format!("{before:?} and many {unit:?}"), &steps);
        }
    }
    let many =
        |count: usize| -> String { (0..count).map(|name| format!("{{{{ n{name} }}}} ")).collect() };
    let steps = [1_000, 2_000, 4_000].map(|count| work(&many(count)));
    assert_grows_with_the_input("many names", &steps);
}

#[test]
fn the_counter_detects_quadratic_work() {
    let quadratic = |bytes: usize| (0..bytes).for_each(|_| super::count(bytes));
    STEPS.with(|steps| steps.set(0));
    quadratic(100);
    let before = STEPS.with(std::cell::Cell::take);
    quadratic(200);
    let after = STEPS.with(std::cell::Cell::take);
    assert!(after * 10 >= before * 23, "twice the input is four times the work");
}
