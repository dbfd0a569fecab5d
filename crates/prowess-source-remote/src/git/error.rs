//! The messages of git.

use prowess_core::{RemoteError, RemoteErrorKind, without_credentials};
use prowess_text::clipped;

/// Parts of messages of git in the language `C`, in lower case, and what they mean. The first one
/// that is found counts.
#[rustfmt::skip]
const KINDS: [(RemoteErrorKind, &[&str]); 3] = [
    (RemoteErrorKind::Denied, &[
        "terminal prompts disabled", "authentication failed", "permission denied",
        "host key verification failed", "returned error: 401", "returned error: 403",
        "dubious ownership", "not allowed",
    ]),
    (RemoteErrorKind::NotFound, &[
        "not found", "does not appear to be a git repository", "does not exist",
        "returned error: 404", "not our ref", "unadvertised object", "did not match any files",
    ]),
    (RemoteErrorKind::Invalid, &["fsck error", "index-pack"]),
];

/// The maximum length of a message that is repeated, in characters.
const MAX_CHARACTERS: usize = 300;

/// Returns the error for what git has printed.
pub(crate) fn read(messages: &str) -> RemoteError {
    let lower = messages.to_lowercase();
    let kind = KINDS.iter().find(|(_, parts)| parts.iter().any(|part| lower.contains(part)));
    let kind = kind.map_or(RemoteErrorKind::Unavailable, |(kind, _)| *kind);
    let redirects = lower.contains("returned error: 30");
    let help = if redirects { "; name the place that it redirects to" } else { "" };
    let reason = clipped(&without_credentials(reason(messages)), MAX_CHARACTERS);
    RemoteError::new(kind, format!("git: {reason}{help}"))
}

/// Returns the line that says most.
fn reason(messages: &str) -> &str {
    let starts = ["remote: ", "ERROR: ", "fatal: ", "error: "];
    let said = |start: &&str| messages.lines().find_map(|line| line.strip_prefix(*start));
    let said = [starts[2], starts[3], starts[1], starts[0]].iter().find_map(said);
    said.unwrap_or_else(|| messages.lines().last().unwrap_or("it fails without a message"))
}

#[cfg(test)]
mod tests {
    use prowess_core::RemoteErrorKind;

    use super::read;

    #[test]
    fn passwords_are_not_repeated() {
        let error = read("fatal: unable to access 'https://user:s3cr3t@example.com/a.git/': no\n");
        assert_eq!(error.kind, RemoteErrorKind::Unavailable);
        assert!(error.message.contains("https://[REDACTED]@example.com/a.git"), "{error}");
        assert!(!error.message.contains("s3cr3t"), "{error}");
    }

    #[test]
    fn messages_have_their_meaning() {
        for (messages, kind) in [
            ("fatal: repository 'https://a/b/' not found\n", RemoteErrorKind::NotFound),
            ("fatal: Authentication failed for 'https://a/'\n", RemoteErrorKind::Denied),
            ("fatal: transport 'ext' not allowed\n", RemoteErrorKind::Denied),
            ("", RemoteErrorKind::Unavailable),
        ] {
            assert_eq!(read(messages).kind, kind, "{messages}");
        }
        let shown = read("fatal: \u{1b}[2J\u{202e}\n").message;
        assert!(!shown.contains(['\u{1b}', '\u{202e}']), "a server's text is encoded: {shown}");
    }
}
