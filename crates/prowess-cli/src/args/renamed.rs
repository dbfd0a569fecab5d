//! Commands that became an option of another one: a script that has the old name goes on.

use std::ffi::OsString;

/// The words of an old command, and those that replace them; [`REST`] is all that follows.
const RENAMED: [(&[&str], &[&str]); 12] = [
    (&["explain-call"], &["call", "--explain", REST]),
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

/// The names that other tools have for commands: those of which command, the names, and ours.
const OF_OTHERS: [(&str, &str, &str); 32] = [
    ("", "install i get", "add"),
    ("", "uninstall rm delete del", "remove"),
    ("", "ls", "list"),
    ("", "lint check", "validate"),
    ("", "upgrade up", "update"),
    ("", "ci", "sync"),
    ("", "lock", "sync"),
    ("", "init create", "new"),
    ("", "info view cat", "show"),
    ("", "find", "search"),
    ("", "which why", "explain"),
    ("", "start server", "serve"),
    ("", "status diagnose", "doctor"),
    ("", "exec x", "run"),
    ("", "untrust distrust revoke", "trust --revoke"),
    ("", "logs log", "audit show"),
    ("audit", "list ls log logs export", "show"),
    ("config", "list ls print path where", "show"),
    ("config", "add", "set"),
    ("config", "remove rm delete", "unset"),
    ("mcp", "add", "install"),
    ("mcp", "uninstall remove rm delete", "install --remove"),
    ("mcp", "list ls show get", "config"),
    ("plugin", "show info", "inspect"),
    ("plugin", "add install", "trust"),
    ("plugin", "test validate lint", "check"),
    ("plugin", "init create", "new"),
    ("approvals", "approve allow accept", "grant"),
    ("approvals", "reject refuse", "deny"),
    ("proposals", "approve grant allow", "accept"),
    ("proposals", "deny refuse", "reject"),
    ("proposals", "new create add", "propose"),
];

/// Returns the command that other tools name so; `level` is the command that it belongs to.
pub(crate) fn of_other_tools(level: &str, name: &str) -> Option<&'static str> {
    let is_meant = |(of, names, _): &&(&str, &str, &str)| {
        *of == level && names.split(' ').any(|other| other == name)
    };
    OF_OTHERS.iter().find(is_meant).map(|(_, _, ours)| *ours)
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
    let (old, new) = RENAMED.iter().find(|(old, _)| is_written(old))?;
    let rest = &arguments[at + old.len()..];
    if !new.contains(&REST) && rest.iter().any(|word| word != "--help" && word != "-h") {
        return None;
    }
    let mut renamed = arguments[..at].to_vec();
    for word in *new {
        match *word {
            REST => renamed.extend_from_slice(rest),
            word => renamed.push(word.into()),
        }
    }
    let shown = |words: &[&str]| format!("prowess {}", words.join(" "));
    let last = new.strip_suffix(&[REST]).unwrap_or(new);
    Some(Renamed { arguments: renamed, old: shown(old), new: shown(last) })
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
    use super::OF_OTHERS;

    #[test]
    fn names_of_other_tools_stand_for_commands_and_are_none() {
        let program = super::super::command();
        for (level, names, ours) in OF_OTHERS {
            let parent = program.find_subcommand(level).unwrap_or(&program);
            let ours = ours.split(' ').next().unwrap_or_default();
            assert!(parent.find_subcommand(ours).is_some(), "{level} {ours}");
            for name in names.split(' ') {
                assert!(parent.find_subcommand(name).is_none(), "{level} {name} is a command");
            }
        }
    }
}
