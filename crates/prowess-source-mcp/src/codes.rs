//! The codes of skills of MCP servers. The page of codes lists them.

prowess_core::declare_codes! {
    /// Warning: the server cannot be used now, so its skills are those of the last listing.
    MCP_SERVER_STALE = "mcp-server-stale";
    /// Warning: the server offers neither the skills extension nor resources.
    MCP_NO_SKILLS = "mcp-no-skills";
    /// Error: the listing of the server has more than is read, so some skills may be missing.
    MCP_LISTING_TRUNCATED = "mcp-listing-truncated";
    /// Error: the listing describes a skill in a way that the extension forbids.
    MCP_SKILL_INVALID = "mcp-skill-invalid";
    /// Error: the server has no skill with the URI that the host names.
    MCP_SKILL_UNKNOWN = "mcp-skill-unknown";
    /// Error: the listing has two skills at one path.
    MCP_SKILL_DUPLICATE = "mcp-skill-duplicate";
    /// Error: the skill has over 512 files or 16 MiB.
    MCP_SKILL_TOO_LARGE = "mcp-skill-too-large";
    /// Error: the server publishes no digests of the skill, so that nothing can be verified.
    MCP_SKILL_DYNAMIC = "mcp-skill-dynamic";
    /// Error: the files of the skill cannot be read from the server.
    MCP_SKILL_UNREADABLE = "mcp-skill-unreadable";
    /// Error: a file that the server sent is not the one that it has listed.
    MCP_FILE_CHANGED = "mcp-file-changed";
}
