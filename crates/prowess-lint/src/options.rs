//! The options of a check.

use std::num::NonZeroUsize;

use prowess_core::{EstimatedTokens, TokenCounter};
use prowess_format::{Limits, NameMismatch, NameRule, Profile, Rules, SkillMdCase};

use crate::dependency::{Dependency, Fact};

/// How a tree is checked.
#[derive(Clone, Copy)]
pub struct LintOptions<'a> {
    /// How much each finding matters. By default [`Profile::Spec`].
    pub profile: Profile,
    /// Returns the profile of a package by its path, where it is another one. By default none has.
    pub profile_of: &'a (dyn Fn(&str) -> Option<Profile> + Sync),
    /// Which names are valid. By default, those of agentskills.io.
    pub name_rule: NameRule,
    /// The severity of a name that differs from its directory. By default, that of the profile.
    pub name_mismatch: NameMismatch,
    /// The treatment of a `skill.md`. By default, that of the profile.
    pub skill_md_case: SkillMdCase,
    /// The maximum lengths of the parts of a skill. By default, those of agentskills.io.
    pub limits: Limits,
    /// Whether the files next to the instructions are checked, and what the body says of them. By
    /// default they are; a host that has the text alone turns it off.
    pub checks_files: bool,
    /// Counts tokens. By default [`EstimatedTokens`].
    pub tokens: &'a dyn TokenCounter,
    /// Returns whether there is a file or a directory at an absolute path outside of the package,
    /// for links that leave it and for paths of the repository. By default none is known.
    pub exists_outside: &'a (dyn Fn(&str) -> bool + Sync),
    /// Returns what is known of something that the `metadata` of a package says it depends on: in a
    /// text with blanks between the items, or in a list, files of the repository in
    /// `depends-on-files`, programs in `depends-on-commands`, skills in `depends-on-skills` and
    /// URLs in `depends-on-urls`; and of files of the repository that the body names. By default
    /// nothing is known.
    pub facts: &'a (dyn Fn(&Dependency<'_>) -> Option<Fact> + Sync),
    /// The day of the check, as `2026-03-01`: a later `last-verified` is reported. By default there
    /// is none, and any day is accepted.
    pub today: Option<&'a str>,
    /// How many threads read and check packages. By default one.
    pub threads: NonZeroUsize,
}

impl LintOptions<'_> {
    /// Returns the rules for parsing a `SKILL.md` by this profile.
    pub(crate) fn rules(&self, profile: Profile) -> Rules {
        Rules { name_rule: self.name_rule, limits: self.limits, ..Rules::of(profile) }
    }
}

impl Default for LintOptions<'_> {
    fn default() -> Self {
        Self {
            profile: Profile::Spec,
            profile_of: &|_| None,
            name_rule: NameRule::default(),
            name_mismatch: NameMismatch::default(),
            skill_md_case: SkillMdCase::default(),
            limits: Limits::default(),
            checks_files: true,
            tokens: &EstimatedTokens,
            exists_outside: &|_| false,
            facts: &|_| None,
            today: None,
            threads: NonZeroUsize::MIN,
        }
    }
}
