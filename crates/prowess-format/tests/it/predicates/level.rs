//! The levels of loading: what is always shown, what is loaded, what is read on demand.

use proptest::prelude::*;
use prowess_format::{Head, Profile, Rules, Summarized, parse, summarize};

use super::is_valid_by;

/// A body of so many lines, with whether a strict reader takes it.
fn body() -> impl Strategy<Value = (String, bool)> {
    let lines = prop_oneof![1..500_usize, Just(500), Just(501), 502..700_usize];
    lines.prop_map(|lines| ("Line\n".repeat(lines), lines <= 500))
}

proptest! {
    /// The first level is of the frontmatter alone, whatever the second is like.
    #[test]
    fn the_first_level_is_valid_without_the_second(is_good: bool, body in "\\PC{0,40}") {
        let name = if is_good { "pdf" } else { "PDF" };
        let file = format!("---\nname: {name}\ndescription: x\n---\n{body}");
        let end = file.len() - body.len();
        let head = Head { bytes: &file.as_bytes()[..end], is_whole_file: false };
        let Summarized::Done(summary, _) = summarize(head, None, Profile::Spec) else {
            panic!("the frontmatter is there")
        };
        prop_assert_eq!(summary.is_some(), is_good);
    }

    #[test]
    fn the_second_level_is_valid_up_to_500_lines((body, is_good) in body()) {
        let file = format!("---\nname: pdf\ndescription: x\n---\n{body}");
        prop_assert_eq!(is_valid_by(&file, &Rules::of(Profile::Strict)), is_good);
        let document = parse(file.as_bytes(), Profile::Spec).document.expect("advice to others");
        prop_assert_eq!(document.body, body, "it is handed over as it was written");
    }
}
