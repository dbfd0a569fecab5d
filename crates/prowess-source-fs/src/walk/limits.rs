//! The limits of a walk.

use prowess_text::counted;

use super::Walk;
use super::too_deep::TooDeep;
use crate::problem;

/// How many directories of a package are searched without counting; most have one,
/// and hardly any has as many.
const DIRECTORIES_OF_A_PACKAGE: usize = 16;

/// The path at which each limit was first exceeded.
#[derive(Default)]
pub(crate) struct Exceeded {
    pub(super) depth: TooDeep,
    pub(super) directories: Option<String>,
    entries: Option<String>,
    skills: Option<String>,
    time: Option<String>,
}

impl Exceeded {
    /// Returns whether no limit was exceeded.
    pub(crate) fn is_none(&self) -> bool {
        let Self { depth, directories, entries, skills, time } = self;
        let others = [directories, entries, skills, time];
        depth.first.is_none() && others.into_iter().all(Option::is_none)
    }
}

impl Walk<'_> {
    /// Returns whether a limit ends the search here, and records it.
    pub(crate) fn is_at_limit(&mut self, path: &str) -> bool {
        if self.entries_left == 0 {
            self.exceeded.entries.get_or_insert_with(|| path.to_owned());
            return true;
        }
        self.is_at_limit_of_links(path)
    }

    /// Like [`Self::is_at_limit`], for links, which were already counted as names.
    pub(crate) fn is_at_limit_of_links(&mut self, path: &str) -> bool {
        let Exceeded { skills, time, .. } = &mut self.exceeded;
        let limit = if self.skills_left == 0 {
            skills
        } else if self.clock.elapsed() > self.deadline {
            time
        } else {
            return false;
        };
        limit.get_or_insert_with(|| path.to_owned());
        true
    }

    /// Returns whether the time limit is exceeded, and records it.
    pub(crate) fn is_out_of_time(&mut self) -> bool {
        let is_late = self.clock.elapsed() > self.deadline;
        if is_late {
            self.exceeded.time.get_or_insert_with(String::new);
        }
        is_late
    }

    /// Returns how many directories without a skill are searched: those of packages do not use up
    /// the limit for others.
    pub(super) fn most_directories(&self) -> usize {
        let packages = self.config.max_skills - self.skills_left;
        self.config.max_directories + DIRECTORIES_OF_A_PACKAGE * packages
    }

    pub(super) fn report_limits(&mut self) {
        let config = self.config;
        let exceeded = std::mem::take(&mut self.exceeded);
        let TooDeep { first, packages, is_incomplete } = exceeded.depth;
        if let Some(path) = first {
            let path = self.prober.absolute(&path);
            let lost = problem::TooDeep { packages, is_incomplete, limit: config.max_depth };
            self.prober.problem(problem::too_deep(&path, lost));
        }
        let directories =
            format!("after {} without a skill", counted(self.most_directories(), "directory"));
        let entries = format!("after {}", counted(config.max_entries, "name"));
        let skills = format!("after {}", counted(config.max_skills, "skill"));
        let time = format!("after {}", counted(config.max_time.as_secs(), "second"));
        let limits = [
            (exceeded.directories, directories),
            (exceeded.entries, entries),
            (exceeded.skills, skills),
            (exceeded.time, time),
        ];
        for (path, limit) in limits {
            if let Some(path) = path {
                let path = self.prober.absolute(&path);
                self.prober.problem(problem::truncated(&path, &limit));
            }
        }
    }
}
