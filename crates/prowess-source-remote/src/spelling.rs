//! Sources as people write them, and as the rest of this crate reads them.

use std::borrow::Cow;

use prowess_core::without_user;

use crate::git::page::{SITES, is_download, is_page, is_shorthand};
use crate::git::source::has_git_path;
use crate::local_source::is_path;

/// The words for a site in front of `owner/repo`.
const SHORT: [(&str, &str); 4] = [
    ("gh:", "github:"),
    ("gitlab:", "https://gitlab.com/"),
    ("bitbucket:", "https://bitbucket.org/"),
    ("codeberg:", "https://codeberg.org/"),
];

/// Returns a source in the form that is read: with the scheme and the host that are meant, and
/// without what an address bar adds. What is not known is returned as it is.
pub(crate) fn meant(written: &str) -> Cow<'_, str> {
    let written = written.trim();
    if is_path(written) {
        return written.into();
    }
    if let Cow::Owned(plain) = without_user(written) {
        return meant(&plain).into_owned().into();
    }
    let short =
        |(short, full): &(&str, &str)| Some(format!("{full}{}", written.strip_prefix(short)?));
    if let Some(full) = SHORT.iter().find_map(short) {
        return full.into();
    }
    if is_shorthand(written) {
        let page =
            ["/tree/", "/blob/"].iter().any(|kind| written.trim_end_matches('/').contains(kind));
        return if page { site_url("github.com", written) } else { ended(written) };
    }
    let (scheme, rest) = written.split_once("://").unwrap_or(("", written));
    let (place, path) = rest.split_at(rest.find(['/', ':']).unwrap_or(rest.len()));
    let host = place.to_ascii_lowercase();
    let site = host.strip_prefix("www.").unwrap_or(&host);
    let with_https = || without_user(&format!("https://{written}")).into_owned();
    let is_repository = |url: &str| is_page(url) || has_git_path(url);
    match scheme.to_ascii_lowercase().as_str() {
        "" | "http" | "https" | "git" if SITES.contains(&site) && !is_port(path) => {
            site_url(site, path)
        }
        // `git@example.com/owner/repo` and `example.com:owner/repo`
        "" if place.starts_with("git@") => {
            format!("{place}:{}", ended(&path[path.len().min(1)..])).into()
        }
        "" if host.contains('.') && is_behind_colon(path) => {
            format!("git@{}", ended(written)).into()
        }
        // `org@dev.azure.com/org/project/_git/repo`
        "" if path.starts_with('/') && place.contains('@') && is_repository(&with_https()) => {
            meant(&with_https()).into_owned().into()
        }
        "ssh" if place.contains('@') && is_behind_colon(path) => ended(rest),
        "https" | "http" | "ssh" if written.ends_with(".git/") => ended(written),
        _ => written.into(),
    }
}

fn ended(written: &str) -> Cow<'_, str> {
    written.trim_end_matches('/').into()
}

fn is_port(path: &str) -> bool {
    path.starts_with(':') && path[1..].starts_with(|c: char| c.is_ascii_digit())
}

/// Returns whether a path of several parts follows a colon.
fn is_behind_colon(path: &str) -> bool {
    path.starts_with(':') && !is_port(path) && path.contains('/') && !path.starts_with(":/")
}

/// Returns the URL of a repository of a site, of a page of it or of a file there.
fn site_url<'u>(site: &str, path: &str) -> Cow<'u, str> {
    let path = path.trim_start_matches([':', '/']);
    if is_download(path) {
        return format!("https://{site}/{path}").into();
    }
    let (path, behind) = path.split_at(path.find(['?', '#']).unwrap_or(path.len()));
    // A page has no `.git` in its path, and only a repository a reference behind it.
    let path = path.replacen(".git/tree/", "/tree/", 1).replacen(".git/-/", "/-/", 1);
    let path = path.trim_end_matches('/');
    let is_page = ["/tree/", "/blob/", "/src/"].iter().any(|kind| path.contains(kind));
    let behind = if is_page || behind.starts_with('?') { "" } else { behind };
    format!("https://{site}/{path}{behind}").into()
}

#[cfg(test)]
mod tests {
    use super::meant;

    #[test]
    fn sources_are_read_as_they_are_meant() {
        for line in include_str!("../tests/data/spellings.txt").lines() {
            let (written, expected) = line.split_once(" ¦ ").expect("two spellings");
            assert_eq!(meant(written), expected, "{written}");
        }
        let unchanged = "./github.com/a/b skills a.zip git+https://example.com/a/ \
            https://example.com/a/ https://github.com:8443/a/b \
            https://me:pass@github.com/a/b \
            https://ghp_0123456789abcdefghijABCDEFGHIJ456789@github.com/a/b \
            https://0123456789abcdef0123@git.example/a/b.git me@example.com/a/b \
            ssh://org@example.com/a.git ssh://git@example.com:22/a.git \
            ssh://git@example.com/a.git oci://example.com/a:1 localhost:8000/a";
        for unchanged in unchanged.split(' ') {
            assert_eq!(meant(unchanged), unchanged);
        }
    }
}
