//! The codes of the command line's own failures, and those of starting a confined process.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use prowess::sandbox::SandboxErrorKind;

use super::workspace::push_sources;

const COMMAND_LINE: &str = "
# Codes of the command line

A command that fails prints one of these codes with `--format json`, or the code of a finding, a tool result or a plugin; the
next step is printed with it.

| Code | Meaning |
|---|---|
";

const SANDBOX: &str = "
# Codes of the sandbox

The result of a script and the failure of a plugin in a process of its own may have these codes. Nothing of the program ran.

| Code | Meaning | Next step |
|---|---|---|
";

/// Each code with its meaning, in the order of the alphabet.
const CODES: &[(&str, &str)] = &[
    ("agent-invalid", "The file is not the manifest of an agent."),
    ("agent-unreadable", "The manifest of the agent cannot be read."),
    ("approval-expired", "The request has expired, so it can no longer be decided."),
    ("approval-not-found", "There is no approval with this id."),
    ("approval-state", "The approval is in a state in which it cannot be changed this way."),
    ("approval-store-failed", "The database of approvals cannot be read or written."),
    ("approval-unbound", "The call names nothing that a longer approval could be bound to."),
    ("arguments-invalid", "The arguments of the call are not a JSON object."),
    ("audit-log-broken", "An entry of the audit log is not the one that was written."),
    ("audit-log-replaced", "The audit log does not contain the entry that was kept elsewhere."),
    ("audit-log-unavailable", "The audit log cannot be written, and the policies keep one."),
    ("audit-log-unreadable", "The audit log cannot be read."),
    ("certificate-invalid", "The certificate of the server or its key cannot be used."),
    (
        "certificates-unreadable",
        "The file of authorities that `SSL_CERT_FILE` names cannot be read.",
    ),
    ("check-unknown", "The kit for plugins has no check with this name."),
    ("client-unknown", "No block of configuration is known for a client of this name."),
    ("config-exists", "The configuration file that should be created exists."),
    ("config-invalid", "A configuration has an unknown key or a wrong value."),
    (
        "config-key-forbidden",
        "The configuration of a project has a key that could widen the rights of its own skills.",
    ),
    ("config-key-unknown", "No key of the configuration has this name."),
    ("config-unreadable", "The configuration file cannot be read."),
    ("digest-invalid", "The text is not the digest of an artifact."),
    ("feature-missing", "The command, option or key needs a feature that this program lacks."),
    ("fix-failed", "A fix of `validate --fix` could not be written."),
    ("fix-link-refused", "`validate --fix` does not write to a file through a link."),
    ("folder-not-found", "The folder to trust does not exist."),
    (
        "folder-not-trusted",
        "The folder is not among the trusted ones, or is so as a part of another.",
    ),
    ("folder-too-wide", "The folder contains the home directory or the whole machine."),
    ("format-unsupported", "The command does not print this format."),
    ("home-unknown", "The user has no home directory."),
    ("input-invalid", "Standard input cannot be read, or is not UTF-8 text."),
    ("layers-invalid", "A layer is named twice, or not at all."),
    ("load-failed", "A skill could not be loaded, for a reason without a code of its own."),
    ("lock-invalid", "There is no lock file, and `--frozen` needs one."),
    ("mcp-failed", "The server of `mcp call` cannot be started or reached, or does not answer."),
    ("mcp-refused", "The server of `mcp call` answers the request with an error."),
    ("name-invalid", "The name of the new skill or plugin breaks the rules of names."),
    ("no-last-prompt", "There is no earlier prompt to compare with."),
    ("oauth-invalid", "The URL of an authorization server or of the server itself cannot be used."),
    ("output-failed", "The output or a new file cannot be written."),
    ("path-invalid", "The path does not name what the command needs."),
    ("path-not-found", "There is nothing at the path."),
    ("path-not-utf8", "The path of the folder is not UTF-8."),
    ("plugin-directory-unreadable", "A directory of plugins cannot be listed."),
    ("plugin-exists", "The directory of the new plugin exists."),
    ("plugin-key-invalid", "The file of the key has no public key."),
    ("plugin-key-unreadable", "The file of the key cannot be read."),
    ("plugin-not-trusted", "The plugin is not among the trusted ones."),
    ("plugin-trust-invalid", "The file of trusted plugins cannot be used."),
    ("probe-invalid", "The file of queries has another form."),
    ("probe-unreadable", "The file of queries cannot be read."),
    ("program-unknown", "The program cannot find its own file, which runs plugins and scripts."),
    (
        "project-config-not-trusted",
        "Warning: the configuration of a project is ignored, as its folder is not trusted.",
    ),
    ("root-not-a-directory", "The path that should be the directory of a skill is that of a file."),
    ("runtime-failed", "The runtime cannot be built."),
    ("script-not-started", "A script was not started, for a reason without a code of its own."),
    ("sdk-not-found", "There is no SDK for plugins at the path."),
    ("sdk-required", "A new plugin needs the path of the SDK."),
    ("serve-failed", "The connection to the client has failed."),
    ("session-not-found", "The audit log has no events of this session."),
    ("signer-invalid", "The text or file is not a key of minisign, or cannot sign."),
    (
        "skill-changed",
        "The `SKILL.md` has changed since the catalog was built, and cannot be used now.",
    ),
    ("skill-exists", "The file of the new skill exists."),
    ("skill-invalid", "The `SKILL.md` cannot be used."),
    ("skill-md-missing", "The directory has no `SKILL.md`."),
    ("skill-not-found", "There is no skill with this id."),
    (
        "skill-not-trusted",
        "The skill is not placed where other clients use it, because it is not trusted.",
    ),
    ("skills-ref-crash", "The reference tool would crash with this file."),
    (
        "state-directory-unknown",
        "The directory for state cannot be located, as the user has no home directory.",
    ),
    ("stdin-alone", "`validate -` has further paths."),
    (
        "stdin-not-fixable",
        "`validate --fix` has no file to write, because it reads standard input.",
    ),
    ("stdin-unreadable", "Standard input cannot be read."),
    ("token-invalid", "The token of HTTP clients is too short, or cannot be sent."),
    ("token-unreadable", "The file of the token cannot be read."),
    ("topic-unknown", "No page of the help and no command has this name."),
    ("trust-file-unwritable", "The file of trusted folders cannot be written."),
    ("usage", "The command line is wrong; its help is printed."),
    ("working-directory-unreadable", "The working directory cannot be read."),
];

/// Each kind with its meaning and the next step.
const KINDS: [(SandboxErrorKind, &str, &str); 3] = [
    (
        SandboxErrorKind::Unavailable,
        "This machine does not offer a layer that the policy demands.",
        "run `prowess doctor`, or demand a level that this machine offers",
    ),
    (
        SandboxErrorKind::NotStarted,
        "The program that confines itself cannot be started.",
        "name the program of the stage, such as `prowess` itself",
    ),
    (
        SandboxErrorKind::Failed,
        "The confined process ended before its program, or did not answer in time.",
        "run `prowess doctor` to see what this machine offers",
    ),
];

/// Writes both tables.
pub(super) fn push(page: &mut String) {
    page.push_str(COMMAND_LINE);
    for (code, meaning) in CODES {
        let _ = writeln!(page, "| `{code}` | {meaning} |");
    }
    page.push_str(SANDBOX);
    for (kind, meaning, next) in KINDS {
        let _ = writeln!(page, "| `{}` | {meaning} | {next} |", kind.as_str());
    }
}

/// Returns the sources of a crate as one text.
fn sources(name: &str) -> String {
    let mut files = Vec::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    push_sources(&root.join("crates").join(name).join("src"), &mut files);
    files.iter().map(|file| fs::read_to_string(file).expect("sources are text")).collect()
}

/// Returns the literals that are the first argument of these calls.
fn literals<'t>(text: &'t str, calls: &[&str]) -> BTreeSet<&'t str> {
    let mut found = BTreeSet::new();
    for call in calls {
        let arguments =
            text.match_indices(call).map(|(at, _)| text[at + call.len()..].trim_start());
        let literals = arguments.filter_map(|rest| rest.strip_prefix('"')?.split('"').next());
        // Other functions of these names take sentences.
        found.extend(literals.filter(|text| !text.contains(' ')));
    }
    found
}

#[test]
fn codes_of_the_command_line_are_listed() {
    let text = sources("prowess-cli");
    let calls = ["Failure::new(", "Failure::usage(", "Self::usage(", "Self::new(", "missing("];
    let used = literals(&text, &[&calls[..], &["Code::new("]].concat());
    assert!(used.len() >= 45, "{} codes were found", used.len());
    let listed: BTreeSet<_> = CODES.iter().map(|(code, _)| *code).collect();
    let unlisted: Vec<_> = used.difference(&listed).collect();
    assert!(unlisted.is_empty(), "these codes have no meaning on the page: {unlisted:?}");
    for code in listed {
        assert!(text.contains(&format!("\"{code}\"")), "no command fails with `{code}`");
    }
}

#[test]
fn kinds_of_sandbox_errors_are_listed() {
    let text = sources("prowess-sandbox");
    let kinds =
        text.lines().filter_map(|line| line.trim().strip_prefix("Self::")?.split('"').nth(1));
    let codes: BTreeSet<_> = kinds.filter(|code| code.starts_with("sandbox-")).collect();
    let listed: BTreeSet<_> = KINDS.iter().map(|(kind, ..)| kind.as_str()).collect();
    assert_eq!(codes, listed);
}
