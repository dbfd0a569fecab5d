//! Commands that became an option of another one: a script that has the old name goes on.

use std::ffi::OsString;

/// The words of an old command, and those that replace them; [`REST`] is all that follows.
const RENAMED: &str = include_str!("renamed.tsv");

/// The names that other tools have for commands: those of which command, the names, and ours.
const OF_OTHERS: &str = include_str!("of_others.tsv");

fn of_others() -> impl Iterator<Item = [&'static str; 3]> {
    let cells = |line: &'static str| line.splitn(3, '\t').collect::<Vec<_>>().try_into().ok();
    OF_OTHERS.lines().filter_map(cells)
}

/// Returns the command that other tools name so; `level` is the command that it belongs to.
pub(crate) fn of_other_tools(level: &str, name: &str) -> Option<&'static str> {
    let is_meant =
        |[of, names, _]: &[&str; 3]| *of == level && names.split(' ').any(|other| other == name);
    of_others().find(is_meant).map(|[_, _, ours]| ours)
}

/// Shown nowhere: the arguments of the person stand here.
const REST: &str = "…";

/// A command line in the words of today.
pub(crate) struct Renamed {
    pub(super) arguments: Vec<OsString>,
    /// The command as it was written, and as it is written today.
    pub(crate) old: String,
    pub(crate) new: String,
}

/// Returns the command line with the new name of a command; `None` if it has none.
pub(super) fn rewrite(name: &str, arguments: &[OsString]) -> Option<Renamed> {
    // Options in front of a command may have values, so the name is what the parser did not know.
    let at = arguments.iter().skip(1).position(|argument| argument == name)? + 1;
    let is_written = |old: &[&str]| {
        let written = arguments[at..].iter();
        old.len() <= written.len() && written.zip(old).all(|(argument, word)| argument == word)
    };
    let rows = RENAMED.lines().filter_map(|row| row.split_once('\t'));
    let mut rows = rows.map(|row| [row.0, row.1].map(|it| it.split(' ').collect::<Vec<_>>()));
    let [old, new] = rows.find(|[old, _]| is_written(old))?;
    let rest = &arguments[at + old.len()..];
    if !new.contains(&REST) && rest.iter().any(|word| word != "--help" && word != "-h") {
        return None;
    }
    let mut renamed = arguments[..at].to_vec();
    for &word in &new {
        match word {
            REST => renamed.extend_from_slice(rest),
            word => renamed.push(word.into()),
        }
    }
    let shown = |words: &[&str]| format!("prowess {}", words.join(" "));
    let last = new.strip_suffix(&[REST]).unwrap_or(&new);
    Some(Renamed { arguments: renamed, old: shown(&old), new: shown(last) })
}

/// Returns the command that an old one is now, and its words without options.
pub(crate) fn today(words: &[String]) -> Option<(Renamed, Vec<String>)> {
    let line: Vec<OsString> =
        ["prowess"].into_iter().map(Into::into).chain(words.iter().map(Into::into)).collect();
    let renamed = rewrite(words.first()?, &line)?;
    let words = renamed.new.split(' ').skip(1).take_while(|word| !word.starts_with('-'));
    let words = words.map(str::to_owned).collect();
    Some((renamed, words))
}

#[cfg(test)]
mod tests {
    use super::{OF_OTHERS, of_others};

    #[test]
    fn names_of_other_tools_stand_for_commands_and_are_none() {
        let program = super::super::command();
        assert_eq!(of_others().count(), OF_OTHERS.lines().count(), "each line has three cells");
        for [level, names, ours] in of_others() {
            let parent = program.find_subcommand(level).unwrap_or(&program);
            let ours = ours.split(' ').next().unwrap_or_default();
            assert!(parent.find_subcommand(ours).is_some(), "{level} {ours}");
            for name in names.split(' ') {
                assert!(parent.find_subcommand(name).is_none(), "{level} {name} is a command");
            }
        }
    }
}
