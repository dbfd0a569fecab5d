//! The codes of skills of MCP servers, with the next step. Their crate compares its meanings with the
//! page.

use std::fmt::Write as _;

const MCP: &str = "
# Codes of MCP servers as sources

A server that fails leaves the skills of its last good listing, and a skill that cannot be used hides no other.

| Code | Meaning | Next step |
|---|---|---|
";

const CODES: &[(&str, &str, &str)] = &[
    (
        "mcp-server-stale",
        "Warning: the server cannot be used now, so its skills are those of the last listing.",
        "check the server and the network",
    ),
    (
        "mcp-no-skills",
        "Warning: the server offers neither the skills extension nor resources.",
        "name another server, or remove it from the configuration",
    ),
    (
        "mcp-listing-truncated",
        "Error: the listing of the server has more than is read, so some skills may be missing.",
        "report it to the operator of the server, or list fewer skills",
    ),
    (
        "mcp-skill-invalid",
        "Error: the listing describes a skill in a way that the extension forbids.",
        "report it to the operator of the server",
    ),
    (
        "mcp-skill-unknown",
        "Error: the server has no skill with the URI that the host names.",
        "correct the URI in the configuration, or remove it",
    ),
    (
        "mcp-skill-duplicate",
        "Error: the listing has two skills at one path.",
        "report it to the operator of the server",
    ),
    (
        "mcp-skill-too-large",
        "Error: the skill has over 512 files or 16 MiB.",
        "report it to the operator of the server",
    ),
    (
        "mcp-skill-dynamic",
        "Error: the server publishes no digests of the skill, so that nothing can be verified.",
        "report it to the operator of the server",
    ),
    (
        "mcp-skill-unreadable",
        "Error: the files of the skill cannot be read from the server.",
        "report it to the operator of the server",
    ),
    (
        "mcp-file-changed",
        "Error: a file that the server sent is not the one that it has listed.",
        "report it to the operator of the server; the file is not used",
    ),
];

pub(super) fn push(page: &mut String) {
    page.push_str(MCP);
    for (code, meaning, next) in CODES {
        let _ = writeln!(page, "| `{code}` | {meaning} | {next} |");
    }
}
