//! The frontmatter: two required fields, four optional ones, each at most once, and no other.

use proptest::prelude::*;
use prowess_format::{Profile, Rules};

use super::{is_valid_by, quoted};

const FIELDS: [&str; 6] = [
    "name: pdf\n",
    "description: Fills forms.\n",
    "license: MIT\n",
    "compatibility: Needs a printer\n",
    "metadata:\n  author: me\n",
    "allowed-tools: Read Bash(git:*)\n",
];

/// How many of [`FIELDS`] must be there.
const REQUIRED: usize = 2;

/// Some of the fields in any order, perhaps one twice and perhaps one that there is not.
fn frontmatter() -> impl Strategy<Value = (String, bool)> {
    let fields = Just((0..FIELDS.len()).collect::<Vec<_>>()).prop_shuffle();
    let foreign = prop::option::weighted(0.2, "x-[a-z]{1,8}");
    let twice = prop::option::weighted(0.2, any::<prop::sample::Index>());
    (fields, 1..=FIELDS.len(), foreign, twice).prop_map(|(mut fields, count, foreign, twice)| {
        fields.truncate(count);
        let is_complete = (0..REQUIRED).all(|required| fields.contains(&required));
        let mut lines: Vec<String> = fields.iter().map(|at| FIELDS[*at].to_owned()).collect();
        lines.extend(twice.map(|at| lines[at.index(lines.len())].clone()));
        lines.extend(foreign.as_ref().map(|key| format!("{}: x\n", quoted(key))));
        (lines.concat(), is_complete && foreign.is_none() && twice.is_none())
    })
}

proptest! {
    #[test]
    fn a_frontmatter_is_valid_if_it_has_the_fields_and_no_other((lines, is_good) in frontmatter()) {
        let file = format!("---\n{lines}---\nBody\n");
        for profile in [Profile::Spec, Profile::Strict] {
            prop_assert_eq!(is_valid_by(&file, &Rules::of(profile)), is_good, "{}: {}", profile, lines);
        }
    }
}
