//! `name`: the grammar of each rule, and at most 64 characters.

use proptest::prelude::*;
use prowess_format::{NameRule, Profile, Rules, SkillName};

use super::{is_valid_by, quoted};

fn good(rule: NameRule) -> BoxedStrategy<String> {
    let kebab = |part: &'static str| prop::collection::vec(part, 1..5).prop_map(|it| it.join("-"));
    match rule {
        NameRule::AgentSkills => prop_oneof![kebab("[a-z0-9]{1,12}"), "[a-z0-9]{64}"].boxed(),
        NameRule::KebabLetterFirst => "[a-z][a-z0-9-]{0,63}".boxed(),
        NameRule::Unicode => prop_oneof![kebab("[a-z0-9éßя字٣]{1,12}"), "[字é]{64}"].boxed(),
        NameRule::Any => "[A-Za-z字_][A-Za-z0-9 _.!é字-]{0,62}[a-z字]".boxed(),
    }
}

/// Returns the bad names that faults make of a good one, also in front of its character `at`.
fn faulty(rule: NameRule, name: &str, at: prop::sample::Index) -> Vec<String> {
    let at = at.index(name.chars().count() + 1);
    let (before, after): (String, String) =
        (name.chars().take(at).collect(), name.chars().skip(at).collect());
    let within = |fault| format!("{before}{fault}{after}");
    let long = name.to_owned() + &"a".repeat(64);
    let mut names = vec![String::new(), long, within("/"), within("\u{200b}"), format!("{name} ")];
    if rule != NameRule::Any {
        names.extend([within("É"), within("_"), format!("-{name}")]);
    }
    match rule {
        NameRule::KebabLetterFirst => names.push(format!("3{name}")),
        NameRule::AgentSkills | NameRule::Unicode => {
            names.extend([within("--"), format!("{name}-")]);
        }
        NameRule::Any => {}
    }
    names
}

fn good_name() -> impl Strategy<Value = (NameRule, String)> {
    let rules = prop::sample::select(NameRule::ALL.as_slice());
    rules.prop_flat_map(|rule| good(rule).prop_map(move |name| (rule, name)))
}

proptest! {
    #[test]
    fn a_name_is_valid_if_it_keeps_the_rule((rule, good) in good_name(), at: prop::sample::Index) {
        let rules = Rules { name_rule: rule, ..Rules::of(Profile::Spec) };
        let faulty = faulty(rule, &good, at);
        for (name, is_good) in faulty.iter().map(|it| (it, false)).chain([(&good, true)]) {
            let checked = SkillName::with_rule(name, rule);
            prop_assert_eq!(checked.is_ok(), is_good, "`{}` under {}: {:?}", name, rule, checked);
            let is_free = !checked.is_ok_and(|name| name.is_reserved());
            let file = format!("---\nname: {}\ndescription: x\n---\nBody\n", quoted(name));
            let is_read = is_valid_by(&file, &rules);
            prop_assert_eq!(is_read, is_good && is_free, "`{}` under {}", name, rule);
        }
    }
}
