//! The messages of git.

use prowess_core::{RemoteError, RemoteErrorKind, without_credentials};
use prowess_text::clipped;

/// Parts of messages of git in the language `C`, in lower case, and what they mean. The first one
/// that is found counts.
const KINDS: [(&str, RemoteErrorKind); 17] = [
    ("terminal prompts disabled", RemoteErrorKind::Denied),
    ("authentication failed", RemoteErrorKind::Denied),
    ("permission denied", RemoteErrorKind::Denied),
    ("host key verification failed", RemoteErrorKind::Denied),
    ("returned error: 401", RemoteErrorKind::Denied),
    ("returned error: 403", RemoteErrorKind::Denied),
    ("dubious ownership", RemoteErrorKind::Denied),
    ("not allowed", RemoteErrorKind::Denied),
    ("not found", RemoteErrorKind::NotFound),
    ("does not appear to be a git repository", RemoteErrorKind::NotFound),
    ("does not exist", RemoteErrorKind::NotFound),
    ("returned error: 404", RemoteErrorKind::NotFound),
    ("not our ref", RemoteErrorKind::NotFound),
    ("unadvertised object", RemoteErrorKind::NotFound),
    ("did not match any files", RemoteErrorKind::NotFound),
    ("fsck error", RemoteErrorKind::Invalid),
    ("index-pack", RemoteErrorKind::Invalid),
];

/// The maximum length of a message that is repeated, in characters.
const MAX_CHARACTERS: usize = 300;

/// Returns the error for what git has printed.
pub(crate) fn read(messages: &str) -> RemoteError {
    let lower = messages.to_lowercase();
    let kind = KINDS.iter().find(|(part, _)| lower.contains(part));
    let kind = kind.map_or(RemoteErrorKind::Unavailable, |(_, kind)| *kind);
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
