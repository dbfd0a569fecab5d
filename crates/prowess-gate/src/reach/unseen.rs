//! Options and programs whose words do not show what they reach.

use crate::behind::{Table, base, has, has_any};

/// Options by which programs follow the links in a directory, run in one that they find, take
/// names from a file, or write files with absolute names: letters and long options.
static UNSEEN: Table = Table::new(include_str!("unseen/unseen.txt"));

/// Programs that follow links in a directory unless an option says otherwise, and those whose
/// names come from their input, or are none of files.
const FOLLOWING: [(&str, &str, &str); 4] = [
    ("getent journalctl dmesg last lastb lastlog", "", ""),
    ("zip", "rR@", "-y --symlinks"),
    ("diff", "r", "--no-dereference"),
    ("cpio pax 7z 7za 7zz", "", "-snl"),
];

/// Letters of options behind which is a value.
const WITH_VALUES: [(&str, &[char]); 3] = [
    ("tar bsdtar gtar", &['f', 'C']),
    ("curl", &['o', 'X', 'H', 'd', 'F', 'T', 'u', 'A', 'b', 'c', 'e', 'm', 'w', 'x', 'r']),
    ("wget", &['o', 'O', 'P', 'U', 't', 'T', 'A', 'R', 'l', 'a']),
];

/// Returns whether the options of a command, or what it does without any, may reach files that no
/// word names.
pub(super) fn is_unseen(words: &[String]) -> bool {
    let Some((program, options)) = words.split_first() else { return false };
    let name = base(program);
    // The first word of `tar` may be a group without `-`.
    let is_tar = has("tar bsdtar gtar", name);
    let has_letter = |letters: &str| {
        options.iter().enumerate().any(|(at, word)| {
            let group = word.strip_prefix('-').filter(|group| !group.starts_with('-'));
            let group = match group {
                Some(group) => {
                    let values = WITH_VALUES.iter().find(|(names, _)| has(names, name));
                    group.split(values.map_or(&[][..], |(_, values)| values)).next()
                }
                None if is_tar && at == 0 => Some(word.as_str()),
                None => None,
            };
            group.is_some_and(|group| group.contains(|it| letters.contains(it)))
        })
    };
    let mut unseen = UNSEEN.rows(name).iter().filter_map(|row| row.split_once(':'));
    unseen.any(|(letters, long)| has_letter(letters) || has_any(options, long))
        || FOLLOWING.iter().any(|(names, letters, unless)| {
            let is_on =
                letters.is_empty() || has_letter(letters) || has_any(options, "--recursive");
            has(names, name) && is_on && !has_any(options, unless)
        })
}
