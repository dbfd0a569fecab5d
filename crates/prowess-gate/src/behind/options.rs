//! The options of a command, in each spelling.

use super::Run;
use super::wrapper::has;

/// The longest word that is a group of options of one letter, and not the name of one.
const LONGEST_GROUP: usize = 5;

/// Options that most programs have in two spellings: a letter, and the name that follows it.
const IN_FULL: &str = "Rrecursive aall Ddelete ddelete ddata fforce nno-verify rrecursive ooutput \
    xextract xget xrequest iin-place kinsecure ccreate Hheader mmessage uuser Xrequest Oremote-name \
    Ooutput-document ddata-binary ddata-raw ddata-urlencode";

/// Programs whose first word is a group of options, also without a dash.
const GROUP_FIRST: &str = "tar bsdtar gtar star ar jar ps";

/// Programs whose option `-a` copies whole directories.
const ARCHIVING: &str = "cp gcp rsync";

/// Words that do for a command of git what an option of it does: `git push origin +main`.
const AS_OPTIONS: [(&str, &str, &str, char); 2] =
    [("push", "--force", "-f", '+'), ("push", "--delete", "-d", ':')];

impl Run {
    /// Returns whether an option of a pattern is among those of the command: its letters together
    /// or apart, as `-fr` or `-r -f`, or in full, also begun, as `--recursive` or `--rec`. Where it
    /// need not be certain, a longer word may be a group too, with a value behind it, a name may be
    /// begun by one letter, and `--delete-after` may be `--delete`.
    pub(crate) fn has_option(&self, option: &str, is_certain: bool) -> bool {
        // `find . -name x -delete`, `dd if=a of=b`
        if !option.starts_with(['-', '+']) && !option.contains('=') {
            return false;
        }
        let words = || self.words.iter().skip(1).take_while(|word| *word != "--");
        let is_it = |word: &String| word == option || is_key(option) && word.starts_with(option);
        if words().any(is_it) || self.has_word_for(option) {
            return true;
        }
        let is_first = !is_certain && self.names.iter().any(|it| has(GROUP_FIRST, it));
        let longest = if is_certain { LONGEST_GROUP } else { usize::MAX };
        let is_group = |(at, word): (usize, &String)| {
            let is_short = word.starts_with('-') && !word.starts_with("--");
            is_short && word.len() <= longest || is_first && at == 0
        };
        let has_begun = |long: &str| {
            let longs = words().filter_map(|word| word.strip_prefix("--")?.split('=').next());
            let mut longs = longs.filter(|name| name.len() > usize::from(is_certain));
            let is_longer = |name: &str| {
                !is_certain && name.strip_prefix(long).is_some_and(|rest| rest.starts_with('-'))
            };
            longs.any(|name| long.starts_with(name) || is_longer(name))
        };
        let is_copier = self.names.iter().any(|it| has(ARCHIVING, it));
        let has_letter = |letter: char| {
            let is_recursive = ['r', 'R'].contains(&letter);
            // `-R` and `-r` are both for whole directories, and so is `-a`.
            let is_same = |it: char| {
                it == letter || is_recursive && (['r', 'R'].contains(&it) || is_copier && it == 'a')
            };
            words().enumerate().any(|word| is_group(word) && word.1.contains(is_same))
                || is_recursive && is_copier && has_begun("archive")
        };
        let mut in_full = IN_FULL.split_ascii_whitespace();
        if let Some(option) = option.strip_prefix("--") {
            let is_letter = |pair: &str| pair[1..] == *option && pair.starts_with(has_letter);
            return has_begun(option) || in_full.any(is_letter);
        }
        let Some(letters) = option.strip_prefix('-') else { return false };
        let has = |letter: char| {
            let mut in_full = in_full.clone().filter_map(|pair| pair.strip_prefix(letter));
            has_letter(letter) || in_full.any(has_begun)
        };
        is_letters(letters) && letters.chars().all(has)
    }

    /// Returns whether an option of a pattern has this value, in one word with it or in the next
    /// one: `-XPOST`, `-sX POST`, `--request=POST`.
    pub(crate) fn has_value(&self, option: &str, value: &str) -> bool {
        let is_option = |word: &str| {
            let program = self.words.first().cloned().unwrap_or_default();
            word.starts_with('-') && self.with(&[program, word.to_owned()]).has_option(option, true)
        };
        let words: Vec<_> = self.words.iter().skip(1).take_while(|word| *word != "--").collect();
        let is_together = |word: &String| {
            let rest = word.strip_suffix(value).filter(|_| !value.is_empty());
            rest.is_some_and(|rest| is_option(rest.strip_suffix('=').unwrap_or(rest)))
        };
        let is_apart = |pair: &[&String]| pair[1] == value && is_option(pair[0]);
        words.iter().any(|word| is_together(word)) || words.windows(2).any(is_apart)
    }

    /// Returns whether a word of git does what the option does: `+main` is pushed by force, and
    /// `git branch -D` is `git branch -d -f`.
    fn has_word_for(&self, option: &str) -> bool {
        if !self.names.iter().any(|name| name == "git") {
            return false;
        }
        let has_word = |it: &str| self.words.iter().skip(1).any(|word| word == it);
        let begins = |sign| self.words.iter().any(|it| it.len() > 1 && it.starts_with(sign));
        let is_it = |&(command, long, short, sign): &(&str, &str, &str, char)| {
            [long, short].contains(&option) && has_word(command) && begins(sign)
        };
        let by_force = |letter: &str| {
            let small = letter.to_ascii_lowercase();
            option == letter && self.has_option(&small, true) && self.has_option("-f", true)
        };
        AS_OPTIONS.iter().any(is_it)
            || has_word("branch") && ["-C", "-D", "-M"].into_iter().any(by_force)
    }
}

/// Returns whether a word of a pattern is the name of an operand, such as `of=`.
fn is_key(option: &str) -> bool {
    option.ends_with('=') && !option.starts_with('-')
}

/// Returns whether the text behind a dash is a group of options of one letter.
fn is_letters(letters: &str) -> bool {
    let is_group = letters.chars().all(|letter| letter.is_ascii_alphabetic());
    is_group && (1..LONGEST_GROUP).contains(&letters.len())
}

/// Divides an option of a pattern that has its value in the same word.
pub(crate) fn divided(option: &str) -> Option<(&str, &str)> {
    match option.strip_prefix("--") {
        Some(_) => option.split_once('='),
        None => {
            let letters = option.strip_prefix('-')?;
            let end = 1 + letters.chars().next()?.len_utf8();
            let (name, value) = option.split_at(end);
            (!value.is_empty() && !is_letters(letters)).then_some((name, value))
        }
    }
}
