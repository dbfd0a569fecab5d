//! Arguments of a script that name files of the user who starts it.

use std::path::Path;

use prowess::script::ScriptPolicy;

use crate::paths::absolute;

/// Where the user is, and what the script may reach of it.
pub(super) struct CallerFiles<'a> {
    pub(super) here: &'a Path,
    pub(super) policy: &'a ScriptPolicy,
}

impl CallerFiles<'_> {
    /// Returns the argument with an absolute path in place of a granted relative one: the script
    /// starts in its package, where the name would be another file.
    pub(super) fn resolved(&self, argument: &str) -> String {
        let (option, name) = parts(argument);
        let is_elsewhere = self.policy.directory.as_deref() != Some(self.here);
        let path = absolute(Path::new(name)).ok().filter(|_| is_elsewhere);
        match path.filter(|path| self.is_granted(path)).as_deref().and_then(Path::to_str) {
            Some(path) => format!("{option}{path}"),
            None => argument.to_owned(),
        }
    }

    /// Returns the names of existing files that the script may not read.
    pub(super) fn closed<'n>(&self, arguments: &'n [String]) -> Vec<&'n str> {
        let names = arguments.iter().map(|argument| parts(argument).1);
        let mut closed: Vec<_> = names
            .filter(|name| {
                let path = absolute(Path::new(name));
                path.is_ok_and(|path| path.is_file() && !self.is_granted(&path))
            })
            .collect();
        closed.sort_unstable();
        closed.dedup();
        closed
    }

    /// Returns the names of files that could be results: there are none yet, and the script may not
    /// change their directory.
    pub(super) fn not_writable<'n>(&self, arguments: &'n [String]) -> Vec<&'n str> {
        let names = arguments.iter().map(|argument| parts(argument).1);
        let is_result = |name: &&str| {
            let written = Path::new(name);
            let path = absolute(written).unwrap_or_default();
            let has_form =
                written.extension().is_some_and(|it| !it.to_string_lossy().contains(' '))
                    || name.contains('/');
            let is_granted = self.policy.write.iter().any(|granted| path.starts_with(granted));
            let is_new = !path.exists() && path.parent().is_some_and(Path::is_dir);
            has_form && is_new && !is_granted && !name.contains("://") && !name.starts_with('-')
        };
        names.filter(is_result).collect()
    }

    fn is_granted(&self, path: &Path) -> bool {
        let ScriptPolicy { read, write, .. } = self.policy;
        read.iter().chain(write).any(|granted| path.starts_with(granted))
    }
}

/// Splits `--name=value`; another argument is a value as a whole.
fn parts(argument: &str) -> (&str, &str) {
    match argument.find('=').filter(|_| argument.starts_with('-')) {
        Some(at) => argument.split_at(at + 1),
        None => ("", argument),
    }
}
