//! `compatibility`: absent, or a text of at most 500 characters.

use proptest::prelude::*;

use super::{is_valid, quoted, skill};

/// The field's line, with whether it may stand there.
fn compatibility() -> impl Strategy<Value = (String, bool)> {
    let length = prop_oneof![0..500_usize, Just(500), Just(501), 502..1500_usize];
    let letter = prop::sample::select(vec!['a', 'é', '字']);
    let text = (length, letter).prop_map(|(length, letter)| {
        let text: String = std::iter::repeat_n(letter, length).collect();
        (format!("compatibility: {}\n", quoted(&text)), length <= 500)
    });
    let other = prop::sample::select(vec!["compatibility: [a, b]\n", "compatibility: {a: b}\n"]);
    // Under the specification a list in the place of a text is an error too.
    prop_oneof![4 => text, 1 => Just((String::new(), true)), 1 => other.prop_map(|line| (line.to_owned(), false))]
}

proptest! {
    #[test]
    fn a_compatibility_is_valid_within_its_bounds((line, is_good) in compatibility()) {
        prop_assert_eq!(is_valid(&skill(&line)), is_good, "{}", line);
    }
}
