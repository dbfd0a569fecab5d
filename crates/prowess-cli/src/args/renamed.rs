//! Commands that became an option of another one: a script that has the old name goes on.

use std::ffi::OsString;

/// The words of an old command, and those that replace them; [`REST`] is all that follows.
const RENAMED: [(&[&str], &[&str]); 12] = [
    (&["explain-call"], &["call", REST, "--explain"]),
    (&["lock", "import"], &["sync", "--import", REST]),
    (&["lock", "export"], &["sync", "--export", REST]),
    (&["lock"], &["sync", "--help"]),
    (&["outdated"], &["update", "--check", REST]),
    (&["quarantine", "release"], &["sync", "--release", REST]),
    (&["quarantine", "list"], &["sync", "--quarantine", REST]),
    (&["quarantine"], &["sync", "--quarantine", REST]),
    (&["rollback"], &["update", "--rollback", REST]),
    (&["schema"], &["validate", "--schema", REST]),
    (&["shell"], &["run", "--shell", REST]),
    (&["stats"], &["audit", "stats", REST]),
];

/// Shown nowhere: the arguments of the person stand here.
const REST: &str = "…";

/// A command line in the words of today.
pub(super) struct Renamed {
    pub(super) arguments: Vec<OsString>,
    /// The command as it was written, and as it is written today.
    pub(super) old: String,
    pub(super) new: String,
}

/// Returns the command line with the new name of a command; `None` if it has none.
pub(super) fn rewrite(name: &str, arguments: &[OsString]) -> Option<Renamed> {
    // Options in front of a command may have values, so the name is what the parser did not know.
    let at = arguments.iter().skip(1).position(|argument| argument == name)? + 1;
    let is_written = |old: &[&str]| {
        let written = arguments[at..].iter();
        old.len() <= written.len() && written.zip(old).all(|(argument, word)| argument == word)
    };
    let (old, new) = RENAMED.iter().find(|(old, _)| is_written(old))?;
    let rest = &arguments[at + old.len()..];
    let mut renamed = arguments[..at].to_vec();
    for word in *new {
        match *word {
            REST => renamed.extend_from_slice(rest),
            word => renamed.push(word.into()),
        }
    }
    let shown = |words: &[&str]| format!("prowess {}", words.join(" ").replace(" … ", " "));
    let last = new.strip_suffix(&[REST]).unwrap_or(new);
    Some(Renamed { arguments: renamed, old: shown(old), new: shown(last) })
}
