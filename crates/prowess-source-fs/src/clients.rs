//! The clients whose directories of skills are known.

use std::path::Path;

/// A client and the directories in which it looks for skills.
pub(crate) struct KnownClient {
    /// The name in the configuration.
    pub(crate) name: &'static str,
    /// The directory in a project.
    pub(crate) project: &'static str,
    /// The directory in the home.
    pub(crate) home: Home,
}

/// A place of the user's.
pub(crate) enum Home {
    /// Below the home.
    Below(&'static str),
    /// Below the directory for configuration.
    Config(&'static str),
}

use Home::{Below, Config};

/// Every known client, by precedence. The directory that all clients share is not among them.
pub(crate) const KNOWN_CLIENTS: &[KnownClient] = &[
    known("claude", ".claude/skills", Below(".claude/skills")),
    known("github", ".github/skills", Below(".copilot/skills")),
    known("codex", ".codex/skills", Below(".codex/skills")),
    known("cursor", ".cursor/skills", Below(".cursor/skills")),
    known("gemini", ".gemini/skills", Below(".gemini/skills")),
    known("opencode", ".opencode/skills", Config("opencode/skills")),
    known("goose", ".goose/skills", Config("goose/skills")),
    known("amp", ".amp/skills", Config("amp/skills")),
    known("augment", ".augment/skills", Below(".augment/skills")),
    known("cline", ".cline/skills", Below(".cline/skills")),
    known("continue", ".continue/skills", Below(".continue/skills")),
    known("crush", ".crush/skills", Config("crush/skills")),
    known("factory", ".factory/skills", Below(".factory/skills")),
    known("hermes", ".hermes/skills", Below(".hermes/skills")),
    known("junie", ".junie/skills", Below(".junie/skills")),
    known("kilo", ".kilo/skills", Below(".kilo/skills")),
    // Its earlier versions.
    known("kilocode", ".kilocode/skills", Below(".kilocode/skills")),
    known("kiro", ".kiro/skills", Below(".kiro/skills")),
    known("openhands", ".openhands/skills", Below(".openhands/skills")),
    known("qwen", ".qwen/skills", Below(".qwen/skills")),
    known("roo", ".roo/skills", Below(".roo/skills")),
    known("trae", ".trae/skills", Below(".trae/skills")),
    known("vibe", ".vibe/skills", Below(".vibe/skills")),
    known("windsurf", ".windsurf/skills", Below(".codeium/windsurf/skills")),
];

/// The directories in the home that a variable replaces by another one, or by one in that.
pub(crate) const MOVED: [(&str, &str, &str); 6] = [
    (".claude", "CLAUDE_CONFIG_DIR", ""),
    (".codex", "CODEX_HOME", ""),
    (".copilot", "COPILOT_HOME", ""),
    (".gemini", "GEMINI_CLI_HOME", ".gemini"),
    (".hermes", "HERMES_HOME", ""),
    (".vibe", "VIBE_HOME", ""),
];

/// The directory of skills that all clients share.
const SHARED: &str = ".agents/skills";

/// Clients of which skills of a project are in the shared directory. It is searched anyway.
pub(crate) const SHARING_CLIENTS: &[KnownClient] = &[
    known("amp", SHARED, Config("agents/skills")),
    known("antigravity", SHARED, Below(".gemini/antigravity/skills")),
    known("kimi", SHARED, Below(SHARED)),
    known("universal", SHARED, Config("agents/skills")),
    known("warp", SHARED, Below(SHARED)),
    known("zed", SHARED, Below(SHARED)),
];

const fn known(name: &'static str, project: &'static str, home: Home) -> KnownClient {
    KnownClient { name, project, home }
}

impl KnownClient {
    /// Returns the client with a name, which may also be the name of its program.
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        Self::find(name, KNOWN_CLIENTS)
    }

    /// Returns the client of this name for which skills are placed.
    pub(crate) fn placed(name: &str) -> Option<&'static Self> {
        Self::find(name, SHARING_CLIENTS).or_else(|| Self::named(name))
    }

    fn find(name: &str, clients: &'static [Self]) -> Option<&'static Self> {
        let name = match name {
            "claude-code" => "claude",
            "droid" => "factory",
            "kimi-code-cli" => "kimi",
            "mistral-vibe" => "vibe",
            "copilot" | "github-copilot" | "vscode" => "github",
            other => {
                let ends = ["-cli", "-code", "-agent"];
                ends.iter().find_map(|end| other.strip_suffix(end)).unwrap_or(other)
            }
        };
        clients.iter().find(|known| known.name == name)
    }
}

/// Returns whether the client of this directory of skills is in use here: whether the directory
/// that belongs to it, such as `.claude`, exists.
pub(crate) fn is_in_use(skills: &Path) -> bool {
    skills.parent().is_some_and(Path::is_dir)
}
