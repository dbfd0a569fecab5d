//! The directory: it bears the skill's name, however its characters are composed.

use proptest::prelude::*;
use prowess_format::{Head, Profile, Summarized, check_directory, summarize};

/// A name and a directory's, with whether the one is the other.
fn named() -> impl Strategy<Value = (String, String, bool)> {
    let same = "[a-z]{1,9}(-[a-z0-9]{1,9})?".prop_map(|name| (name.clone(), name, true));
    let composed = "[a-z]{1,9}".prop_map(|name| (name.clone() + "é", name + "e\u{301}", true));
    let other = ("[a-m]{1,9}", "[n-z]{1,9}").prop_map(|(name, other)| (name, other, false));
    let longer = "[a-z]{1,9}".prop_map(|name| (name.clone(), name + "-2", false));
    let upper = "[a-z]{1,9}".prop_map(|name| (name.clone(), name.to_uppercase(), false));
    prop_oneof![same, composed, other, longer, upper]
}

proptest! {
    #[test]
    fn a_directory_is_valid_if_it_bears_the_name((name, directory, is_good) in named()) {
        let found = check_directory(&name, &directory, Profile::Spec);
        prop_assert_eq!(found.is_none(), is_good, "`{}` in `{}`", name, directory);
        if name.is_ascii() && name != "mcp" && name != "con" {
            let file = format!("---\nname: {name}-x\ndescription: x\n---\nBody\n");
            let head = Head { bytes: file.as_bytes(), is_whole_file: true };
            let directory = format!("{directory}-x");
            let Summarized::Done(summary, _) = summarize(head, Some(&directory), Profile::Spec) else {
                panic!("the whole file is there")
            };
            prop_assert_eq!(summary.is_some(), is_good, "a scan says so too");
        }
    }
}
