//! The complete skill: it is one if each of its parts is.

use proptest::prelude::*;
use prowess_format::{Profile, Rules, check_directory};

use super::is_valid_by;

/// A part in its good form and in a bad one.
type Part = [&'static str; 2];

const NAME: Part = ["name: pdf\n", "name: PDF\n"];
const DESCRIPTION: Part = ["description: Fills forms.\n", "description: ''\n"];
const METADATA: Part = ["metadata: {a: b}\n", "metadata: [a]\n"];
const TOOLS: Part = ["allowed-tools: Read\n", "allowed-tools: Read(\n"];
const FENCE: Part = ["---\n", "--\n"];
const DIRECTORY: Part = ["pdf", "xlsx"];

proptest! {
    #[test]
    fn a_skill_is_valid_if_each_part_is(is_bad: [bool; 6]) {
        let [name, description, metadata, tools, fence, directory] =
            [NAME, DESCRIPTION, METADATA, TOOLS, FENCE, DIRECTORY];
        let pick = |part: Part, at: usize| part[usize::from(is_bad[at])];
        let parts = [pick(name, 0), pick(description, 1), pick(metadata, 2), pick(tools, 3), pick(fence, 4)];
        let file = format!("---\n{}Body\n", parts.concat());
        let is_in_place = check_directory("pdf", pick(directory, 5), Profile::Strict).is_none();
        let is_valid = is_valid_by(&file, &Rules::of(Profile::Strict)) && is_in_place;
        prop_assert_eq!(is_valid, is_bad == [false; 6], "{}", file);
    }
}
