//! `description`: something that can be seen, in at most 1,024 characters without the blanks around it.

use proptest::prelude::*;

use super::{is_valid, quoted};

/// A description between blanks, with whether it is one.
fn description() -> impl Strategy<Value = (String, bool)> {
    let length =
        prop_oneof![Just(0_usize), 1..1024_usize, Just(1024), Just(1025), 1026..3000_usize];
    let letter = prop::sample::select(vec!['a', 'é', '字', '<', '"']);
    (length, letter, "[ \n]{0,3}", "[ \n]{0,3}").prop_map(|(length, letter, before, after)| {
        let text: String = std::iter::repeat_n(letter, length).collect();
        (format!("{before}{text}{after}"), (1..=1024).contains(&length))
    })
}

proptest! {
    #[test]
    fn a_description_is_valid_within_its_bounds((text, is_good) in description()) {
        let file = format!("---\nname: pdf\ndescription: {}\n---\nBody\n", quoted(&text));
        prop_assert_eq!(is_valid(&file), is_good, "{} characters", text.trim().chars().count());
    }
}

#[test]
fn without_a_description_there_is_no_skill() {
    assert!(!is_valid("---\nname: pdf\n---\nBody\n"));
}
