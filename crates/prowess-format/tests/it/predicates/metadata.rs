//! `metadata`: a mapping whose keys have at most 256 characters.

use proptest::prelude::*;

use super::{is_valid, quoted, skill};

/// The field's lines, with whether they may stand there.
fn metadata() -> impl Strategy<Value = (String, bool)> {
    let length =
        prop_oneof![4 => 1..256_usize, 1 => Just(256), 1 => Just(257), 1 => 258..400_usize];
    let key = (length, prop::sample::select(vec!['k', 'é'])).prop_map(|(length, letter)| {
        (std::iter::repeat_n(letter, length).collect::<String>(), length <= 256)
    });
    let keys = prop::collection::btree_map(key, "[a-z0-9. ]{0,12}", 1..5);
    let mapping = keys.prop_map(|keys| {
        let line = |((key, _), value): (&(String, bool), &String)| {
            format!("  {}: {}\n", quoted(key), quoted(value))
        };
        let is_good = keys.keys().all(|(_, is_short)| *is_short);
        (format!("metadata:\n{}", keys.iter().map(line).collect::<String>()), is_good)
    });
    let other = prop::sample::select(vec!["metadata: text\n", "metadata: [a, b]\n"]);
    prop_oneof![
        4 => mapping,
        1 => prop::sample::select(vec!["", "metadata:\n", "metadata: {}\n"]).prop_map(|line| (line.to_owned(), true)),
        1 => other.prop_map(|line| (line.to_owned(), false)),
    ]
}

proptest! {
    #[test]
    fn metadata_is_valid_if_it_is_a_mapping_with_short_keys((lines, is_good) in metadata()) {
        prop_assert_eq!(is_valid(&skill(&lines)), is_good, "{}", lines);
    }
}
