//! References of a repository, and the commits that they mean.

use std::collections::BTreeMap;

use prowess_core::{RemoteError, RemoteErrorKind};
use prowess_text::quoted;

/// The maximum length of a reference, in bytes.
const MAX_LENGTH: usize = 255;

/// The references that a repository reports, with their commits.
pub(crate) type References = BTreeMap<String, String>;

/// Returns whether a text is the full name of a commit.
pub(crate) fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64)
        && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Checks the name of a branch, a tag or another reference, by the rules of git and some more: it
/// is not an option, a pattern or an expression.
pub(crate) fn check_name(name: &str) -> Result<(), RemoteError> {
    if name.len() > MAX_LENGTH
        || name.starts_with('-')
        || name.ends_with('.')
        || name.contains("..")
        || name.contains(is_bad)
        || name.split('/').any(is_bad_part)
    {
        let message = format!("{} is not the name of a branch or a tag", quoted(name));
        return Err(RemoteError::new(RemoteErrorKind::Unsupported, message));
    }
    Ok(())
}

fn is_bad(c: char) -> bool {
    c.is_control() || c.is_whitespace() || "~^:?*[]\\{}@\"'".contains(c)
}

fn is_bad_part(part: &str) -> bool {
    part.is_empty() || part.starts_with('.') || part.ends_with(".lock")
}

/// Returns the full names that a name may stand for.
pub(crate) fn full_names(name: &str) -> Vec<String> {
    if name == "HEAD" {
        return vec![name.to_owned()];
    }
    let tag = if name.starts_with("refs/") { name.to_owned() } else { format!("refs/tags/{name}") };
    let mut names = vec![format!("{tag}^{{}}"), tag];
    if !name.starts_with("refs/") {
        names.push(format!("refs/heads/{name}"));
    }
    names
}

/// Reads the output of `git ls-remote`.
pub(crate) fn read(output: &[u8]) -> Result<References, RemoteError> {
    let text = str::from_utf8(output).map_err(|_| invalid())?;
    let line = |line: &str| {
        let (commit, name) = line.split_once('\t').filter(|(commit, _)| is_commit(commit))?;
        Some((name.to_owned(), commit.to_owned()))
    };
    text.lines().map(|it| line(it).ok_or_else(invalid)).collect()
}

fn invalid() -> RemoteError {
    RemoteError::new(RemoteErrorKind::Invalid, "the repository reports no valid references")
}

/// The meaning of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Meant {
    pub(crate) commit: String,
    /// Whether the name is that of a tag, or of a branch; `None` for a commit and for `HEAD`.
    pub(crate) is_tag: Option<bool>,
}

impl Meant {
    pub(crate) fn commit(commit: &str) -> Self {
        Self { commit: commit.to_owned(), is_tag: None }
    }
}

/// Returns the commit that a name means; `None` if it means nothing.
///
/// # Errors
///
/// A branch and a tag of this name have different commits.
pub(crate) fn commit(found: &References, name: &str) -> Result<Option<Meant>, RemoteError> {
    if name == "HEAD" {
        return Ok(found.get(name).map(|commit| Meant::commit(commit)));
    }
    let names = full_names(name);
    // A tag with a message is an object of its own, and `^{}` means its commit.
    let tag = names.iter().take(2).find_map(|name| found.get(name));
    let branch = names.get(2).and_then(|name| found.get(name));
    match (tag, branch) {
        (Some(tag), Some(branch)) if tag != branch => {
            let message = format!(
                "{} is a branch and a tag; write `refs/heads/…` or `refs/tags/…`",
                quoted(name)
            );
            Err(RemoteError::new(RemoteErrorKind::Unsupported, message))
        }
        (tag, branch) => {
            let is_tag = tag.is_some() && !name.starts_with("refs/heads/");
            Ok(tag.or(branch).map(|it| Meant { is_tag: Some(is_tag), ..Meant::commit(it) }))
        }
    }
}

/// Returns the commit and the directory that the path of a page means: the longest reference wins.
pub(crate) fn commit_of_page(
    found: &References,
    page: &[String],
) -> Result<Option<(Meant, String)>, RemoteError> {
    if let Some(first) = page.first().filter(|first| is_commit(first)) {
        return Ok(Some((Meant::commit(first), page[1..].join("/"))));
    }
    for length in (1..=page.len()).rev() {
        if let Some(commit) = commit(found, &page[..length].join("/"))? {
            return Ok(Some((commit, page[length..].join("/"))));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::{Meant, check_name, commit, commit_of_page, read};

    const ONE: &str = "1111111111111111111111111111111111111111";
    const TWO: &str = "2222222222222222222222222222222222222222";

    #[test]
    fn names_are_no_options_and_no_expressions() {
        for name in ["main", "v1.0", "feature/a-b", "refs/heads/main", "a+b", "ü"] {
            assert_eq!(check_name(name), Ok(()), "{name}");
        }
        let long = "a".repeat(256);
        for name in [
            "", "-a", "--upload-pack=x", "a..b", "a:b", "a b", "a*", "a?", "[a]", "a^{}", "a~1",
            "@", "a@{1}", "a\\b", "a\nb", "a//b", "/a", "a/", ".a", "a/.b", "a.lock", "a.", &long,
        ] {
            assert!(check_name(name).is_err(), "{name}");
        }
    }

    #[test]
    fn references_mean_commits() {
        let text = format!(
            "{ONE}\tHEAD\n{ONE}\trefs/heads/main\n{TWO}\trefs/tags/v1\n{ONE}\trefs/tags/v1^{{}}\n\
             {ONE}\trefs/heads/both\n{TWO}\trefs/tags/both\n{TWO}\trefs/heads/a/b\n{ONE}\trefs/x/HEAD\n"
        );
        let found = read(text.as_bytes()).expect("the lines are valid");
        for (name, expected) in [
            ("HEAD", Some((ONE, None))),
            ("main", Some((ONE, Some(false)))),
            ("v1", Some((ONE, Some(true)))),
            ("refs/tags/both", Some((TWO, Some(true)))),
            ("refs/heads/both", Some((ONE, Some(false)))),
            ("other", None),
        ] {
            let expected = expected.map(|(it, is_tag)| Meant { is_tag, ..Meant::commit(it) });
            assert_eq!(commit(&found, name), Ok(expected), "{name}");
        }
        assert!(commit(&found, "both").is_err(), "a branch and a tag differ");
        let page = |path: &str| {
            let parts: Vec<_> = path.split('/').map(str::to_owned).collect();
            let meant = commit_of_page(&found, &parts).expect("it is not ambiguous");
            meant.map(|(meant, directory)| (meant.commit, directory))
        };
        assert_eq!(page("a/b/c/d"), Some((TWO.to_owned(), "c/d".to_owned())));
        assert_eq!(page(&format!("{TWO}/c")), Some((TWO.to_owned(), "c".to_owned())));
        assert_eq!(page("main"), Some((ONE.to_owned(), String::new())));
        assert_eq!(page("b/c"), None);
    }

    #[test]
    fn other_output_is_invalid() {
        for text in ["<html>", "1111\tHEAD\n", "\n", "\u{1b}\tHEAD\n"] {
            assert!(read(text.as_bytes()).is_err(), "{text:?}");
        }
        assert!(read(b"\xff").is_err());
        assert_eq!(read(b"").map(|found| found.len()), Ok(0));
    }
}
