//! The codes of building a catalog.
//!
//! Each code needs an example in `crates/prowess/tests/it/codes/examples.rs`, which
//! `prowess explain CODE` prints.

prowess_core::declare_codes! {
    /// Another skill with the same id is used instead.
    SKILL_SHADOWED = "skill-shadowed";
    /// Hint: two packages under one id have the same `SKILL.md`, and one of them is used.
    SKILL_COPY = "skill-copy";
    /// Hint: another skill has the id, and this one is offered under another.
    SKILL_RENAMED = "skill-renamed";
    /// Error: several skills have one id, and by the policy none of them is used.
    SKILL_COLLISION = "skill-collision";
    /// Warning: a skill's `allowed-tools` names a tool that the host does not offer.
    TOOL_MISSING = "tool-missing";
    /// Warning: a skill requires another one that cannot be loaded, or another version of it.
    REQUIREMENT_UNMET = "requirement-unmet";
    /// Warning: skills require each other, so that none of them can be loaded first.
    REQUIREMENT_CYCLE = "requirement-cycle";
    /// Warning: an alias is the id of a skill, which takes precedence.
    ALIAS_TAKEN = "alias-taken";
    /// Warning: an alias stands for an unknown skill.
    ALIAS_UNKNOWN = "alias-unknown";
    /// Warning: two sources have one root, so that each of its skills is found twice. Error: a
    /// directory in which agents write skills overlaps with another one, for example because it is
    /// in it.
    ROOT_SHARED = "root-shared";
    /// Warning: a source is in a layer that is not among those of the configuration.
    LAYER_UNKNOWN = "layer-unknown";
    /// Warning: a project has skills and its folder is not trusted. They are listed and not
    /// offered.
    PROJECT_NOT_TRUSTED = "project-not-trusted";
    /// Warning: skills that agents have written are hidden, because they are not reviewed or are
    /// too many. They are listed with the reason of each.
    AGENT_SKILLS_HIDDEN = "agent-skills-hidden";
    /// Warning: a source with a single skill name does not have exactly one skill.
    NAME_UNUSED = "name-unused";
    /// Error: a source for a single skill has no `SKILL.md`.
    SKILL_MD_MISSING = "skill-md-missing";
    /// As severe as the policy says, and silent unless it says so: a `SKILL.md` is so large that
    /// its body costs more tokens than the limit, by an estimate of its size.
    BODY_TOKENS_SOFT_LIMIT = "body-tokens-soft-limit";
    /// A source could not be scanned; its last good scan stays in use.
    SOURCE_FAILED = "source-failed";
    /// A source had not answered when a server or a command began; its skills are offered as soon
    /// as it does.
    SOURCE_LATE = "source-late";
    /// A source reported a package by a path that is not in normal form. Correct the source: a path
    /// is relative, with `/` between its parts and without `.` and `..`.
    PACKAGE_PATH_INVALID = "package-path-invalid";
    /// Warning: a `SKILL.md` can no longer be used or read. Its last good version stays listed, and
    /// loads where it was loaded before.
    SKILL_KEPT = "skill-kept";
    /// Warning: a source cannot be watched; it is polled instead.
    SOURCE_NOT_WATCHED = "source-not-watched";
}
