//! Repositories in the lock files of other tools, with the hosts that they are at.

use prowess_core::has_credentials;
use prowess_text::quoted;

/// Returns whether a repository is written with its host: no owner has a dot or a colon.
pub(super) fn has_host(written: &str) -> bool {
    let first = written.split('/').next().unwrap_or_default();
    written.contains("://") || first.contains(['.', ':', '@'])
}

/// Returns a repository with a host as a source.
pub(super) fn with_scheme(written: &str) -> String {
    let is_port = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
    match written.split_once(':') {
        Some((scheme, _)) if written.contains("://") => {
            let plus = if scheme.to_ascii_lowercase().starts_with("http") { "git+" } else { "" };
            format!("{plus}{written}")
        }
        Some((place, _)) if place.contains('@') || has_credentials(written) => written.to_owned(),
        Some((_, path)) if !is_port(path) => format!("git@{written}"),
        _ => format!("git+https://{written}"),
    }
}

/// Returns a repository at a host that is named apart, which its own one has to be.
pub(super) fn repository_at(host: &str, written: &str) -> Result<String, String> {
    let host = host.trim_start_matches("https://").trim_end_matches('/');
    if !has_host(written) {
        return Ok(format!("git+https://{host}/{}", written.trim_start_matches('/')));
    }
    let source = with_scheme(written);
    let place = source.split_once("://").map_or(&*source, |(_, place)| place);
    let place = place.split_once('@').map_or(place, |(_, place)| place);
    let is_end = |rest: &&str| rest.is_empty() || rest.starts_with(['/', ':']);
    let rest = place.strip_prefix(host).filter(is_end);
    let contradiction = || format!("it names the host {} and {}", quoted(host), quoted(written));
    rest.map(|_| source.clone()).ok_or_else(contradiction)
}
