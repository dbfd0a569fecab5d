//! The canonical names of the skill tools.

/// The tools of all surfaces.
#[rustfmt::skip]
pub(crate) const ALL: [&str; 15] = [
    "skills.load", "skills.unload", READ, "skills.list", "skills.search", "skills.describe", RUN,
    "skill", "get_skill", EXECUTE, "list_skills", "read_skill", "read_skill_resource", PROPOSE,
    "activate_skill",
];

/// The tools of the first surface.
pub(crate) const SKILLS: &[&str] = ALL.split_at(7).0;

/// The tool that reads files.
pub(crate) const READ: &str = "skills.read";

/// The tool that runs scripts.
pub(crate) const RUN: &str = "skills.run";

/// The other name of the tool that runs scripts.
pub(crate) const RUN_SCRIPT: &str = "skills.run_script";

/// The tool that runs shell commands.
pub(crate) const EXECUTE: &str = "sandbox_execute";

pub(crate) const PROPOSE: &str = "propose_skill_update";

/// Returns whether a tool manages skills, and runs nothing of them but their hooks.
pub(crate) fn manages_skills(name: &str) -> bool {
    ![RUN, EXECUTE].contains(&name) && ALL.contains(&name)
}

/// The field of a command's result with the files that it was not allowed to read.
pub(crate) const REFUSED_READS: &str = "refusedReads";
