//! `allowed-tools`: rules of a tool and perhaps a pattern, in any of the spellings.

use proptest::prelude::*;
use prowess_format::{AllowedTools, Profile, ToolRule, parse};

use super::{is_valid, quoted, skill};

fn rule() -> impl Strategy<Value = ToolRule> {
    let pattern = prop::option::of("[a-z][a-z:*, ]{0,8}[a-z*]");
    ("[A-Z][A-Za-z0-9_]{0,9}", pattern).prop_map(|(tool, pattern)| ToolRule { tool, pattern })
}

fn rules() -> impl Strategy<Value = Vec<ToolRule>> {
    prop::collection::vec(rule(), 1..6)
}

fn texts(rules: &[ToolRule]) -> Vec<String> {
    rules.iter().map(ToString::to_string).collect()
}

/// What stands between the rules of a text.
const BETWEEN: [&str; 4] = [" ", ", ", ",", "  "];

/// What makes of each text of rules one that cannot be read.
const FAULTS: [&str; 5] = ["Bash(", "Bash(a", ")", "(a)", "Bash(a)b"];

/// The value of the field, with its rules; none of them if it cannot be read.
fn allowed_tools() -> impl Strategy<Value = (String, Option<Vec<ToolRule>>)> {
    let text = (rules(), prop::sample::select(BETWEEN.as_slice()));
    let text =
        text.prop_map(|(rules, between)| (quoted(&texts(&rules).join(between)), Some(rules)));
    let list = rules().prop_map(|rules| {
        let items: Vec<_> = texts(&rules).iter().map(|text| quoted(text)).collect();
        (format!("[{}]", items.join(", ")), Some(rules))
    });
    let broken = (rules(), prop::sample::select(FAULTS.as_slice()));
    let broken = broken
        .prop_map(|(rules, fault)| (quoted(&format!("{} {fault}", texts(&rules).join(" "))), None));
    prop_oneof![text, list, broken]
}

proptest! {
    #[test]
    fn allowed_tools_are_valid_if_each_rule_is((value, rules) in allowed_tools()) {
        let file = skill(&format!("allowed-tools: {value}\n"));
        prop_assert_eq!(is_valid(&file), rules.is_some(), "{}", value);
        if let Some(rules) = rules {
            let document = parse(file.as_bytes(), Profile::Spec).document.expect("it is valid");
            prop_assert_eq!(document.frontmatter.allowed_tools, AllowedTools::Rules(rules));
        }
    }
}
