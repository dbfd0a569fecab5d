//! The codes of failed tool calls, in addition to those of sources and sessions. The page of codes
//! lists them.

prowess_core::declare_codes! {
    /// No tool has this name.
    UNKNOWN_TOOL = "unknown-tool";
    /// The arguments do not match the schema of the tool.
    INVALID_ARGUMENTS = "invalid-arguments";
    /// The tool panicked. The host continues.
    TOOL_FAILED = "tool-failed";
    /// The function of the host returned an error.
    FUNCTION_FAILED = "function-failed";
    /// The gate panicked, so the call was not run.
    GATE_FAILED = "gate-failed";
    /// The host's rate limiter refused the call.
    RATE_LIMITED = "rate-limited";
    /// The audit could not store the intent of the call, and the policy requires it.
    AUDIT_UNAVAILABLE = "audit-unavailable";
    /// The host cancelled the call.
    CANCELLED = "cancelled";
    /// No skill has this name.
    SKILL_NOT_FOUND = "skill-not-found";
    /// Several skills have this name, if case is ignored.
    SKILL_AMBIGUOUS = "skill-ambiguous";
    /// This caller may not load the skill now.
    SKILL_HIDDEN = "skill-hidden";
    /// A requirement of the skill is missing.
    SKILL_NOT_READY = "skill-not-ready";
    /// The skill must be loaded first.
    SKILL_NOT_ACTIVE = "skill-not-active";
    /// The skill changed since the catalog or the session read it.
    SKILL_CHANGED = "skill-changed";
    /// The skill's `SKILL.md` is no longer valid.
    SKILL_INVALID = "skill-invalid";
    /// The call names more skills than the limit. `too-many-skills` is of the session: more would
    /// be loaded than it may have.
    TOO_MANY_NAMES = "too-many-names";
    /// A required skill cannot be loaded, or has another version.
    REQUIREMENT_UNMET = "requirement-unmet";
    /// Skills require each other, so that none can be loaded first.
    REQUIREMENT_CYCLE = "requirement-cycle";
    /// A required skill must be loaded before, or in the same call.
    REQUIREMENT_NOT_LOADED = "requirement-not-loaded";
    /// The path is not valid.
    INVALID_PATH = "invalid-path";
    /// The policy does not allow reading, or running, this part of a package.
    PATH_NOT_ALLOWED = "path-not-allowed";
    /// A script may be run, and the policy does not allow reading it.
    SCRIPT_READ_BLOCKED = "script-read-blocked";
    /// The host has no runner for scripts.
    SCRIPTS_UNAVAILABLE = "scripts-unavailable";
    /// The host has no shell for commands.
    SHELL_UNAVAILABLE = "shell-unavailable";
    /// Proposals are not enabled.
    PROPOSALS_UNAVAILABLE = "proposals-unavailable";
    /// The hook of a skill failed, so the skill was not loaded.
    HOOK_FAILED = "hook-failed";
    /// The hook of a loaded skill refused the call, or could not agree to it.
    HOOK_REFUSED = "hook-refused";
}
