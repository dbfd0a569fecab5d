//! Files outside of a checked package.

/// Joins a relative path to an absolute directory or URL by its text. `None` if it leaves the root.
pub(crate) fn joined(directory: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = directory.trim_end_matches('/').split('/').collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.len() > 1 => drop(parts.pop()),
            ".." => return None,
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Returns the directories above a directory, the nearest first.
pub(crate) fn above(directory: &str) -> impl Iterator<Item = &str> {
    let directory = directory.trim_end_matches('/');
    let slashes = directory.rmatch_indices('/').map(|(at, _)| at);
    slashes.filter(|at| *at > 0).map(|at| &directory[..at])
}
