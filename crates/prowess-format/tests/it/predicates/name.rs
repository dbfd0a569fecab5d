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

/// What makes of each good name a bad one.
#[derive(Clone, Copy, Debug)]
enum Fault {
    Empty,
    TooLong,
    Slash,
    Unseen,
    UpperCase,
    Underscore,
    HyphenFirst,
    HyphenLast,
    TwoHyphens,
    DigitFirst,
    BlankLast,
}

fn faults(rule: NameRule) -> &'static [Fault] {
    use Fault::{
        BlankLast, DigitFirst, Empty, HyphenFirst, HyphenLast, Slash, TooLong, TwoHyphens,
        Underscore, Unseen, UpperCase,
    };
    match rule {
        NameRule::AgentSkills | NameRule::Unicode => &[
            Empty, TooLong, Slash, Unseen, UpperCase, Underscore, HyphenFirst, HyphenLast,
            TwoHyphens, BlankLast,
        ],
        NameRule::KebabLetterFirst => &[
            Empty, TooLong, Slash, Unseen, UpperCase, Underscore, HyphenFirst, DigitFirst,
            BlankLast,
        ],
        NameRule::Any => &[Empty, TooLong, Slash, Unseen, BlankLast],
    }
}

fn with_fault(name: &str, fault: Fault, at: prop::sample::Index) -> String {
    let at = at.index(name.chars().count() + 1);
    let (before, after): (String, String) =
        (name.chars().take(at).collect(), name.chars().skip(at).collect());
    match fault {
        Fault::Empty => String::new(),
        Fault::TooLong => name.chars().chain("a".repeat(64).chars()).collect(),
        Fault::Slash => format!("{before}/{after}"),
        Fault::Unseen => format!("{before}\u{200b}{after}"),
        Fault::UpperCase => format!("{before}É{after}"),
        Fault::Underscore => format!("{before}_{after}"),
        Fault::TwoHyphens => format!("{before}--{after}"),
        Fault::HyphenFirst => format!("-{name}"),
        Fault::HyphenLast => format!("{name}-"),
        Fault::DigitFirst => format!("3{name}"),
        Fault::BlankLast => format!("{name} "),
    }
}

fn name() -> impl Strategy<Value = (NameRule, String, bool)> {
    prop::sample::select(NameRule::ALL.as_slice()).prop_flat_map(|rule| {
        let fault = prop::option::of(prop::sample::select(faults(rule)));
        (good(rule), fault, any::<prop::sample::Index>()).prop_map(move |(name, fault, at)| {
            match fault {
                None => (rule, name, true),
                Some(fault) => (rule, with_fault(&name, fault, at), false),
            }
        })
    })
}

proptest! {
    #[test]
    fn a_name_is_valid_if_it_keeps_the_rule((name_rule, name, is_good) in name()) {
        let checked = SkillName::with_rule(&name, name_rule);
        prop_assert_eq!(checked.is_ok(), is_good, "`{}` under {}: {:?}", name, name_rule, checked);
        let is_free = !checked.is_ok_and(|name| name.is_reserved());
        let rules = Rules { name_rule, ..Rules::of(Profile::Spec) };
        let file = format!("---\nname: {}\ndescription: x\n---\nBody\n", quoted(&name));
        prop_assert_eq!(is_valid_by(&file, &rules), is_good && is_free, "`{}` under {}", name, name_rule);
    }
}
