//! Directories with skills that a policy does not search, and how to add them.

mod adding;
mod look;

use std::cell::{Cell, LazyCell, RefCell, RefMut};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::OsStr;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use prowess_core::Trust;
use prowess_dir::has_other_authors;

use crate::clients::KNOWN_CLIENTS;
use crate::plugins::newest_plugins;
use crate::surroundings::other_project;
use crate::way::Ways;
use crate::{Discovery, Links, ProjectSearch, Surroundings};
pub use adding::Setting;
use look::{Below, Look, below, is_skill};

/// The directories in a home in which clients keep what they install, with skills somewhere below.
const INSTALLED: [&str; 5] = [
    ".claude/plugins/cache",
    ".claude/plugins/marketplaces",
    ".codex/plugins/cache",
    ".copilot/installed-plugins",
    ".gemini/extensions",
];

/// The end of those that have no more than what could be installed.
const CATALOGUE: &str = "plugins/marketplaces";

/// Parts of names in a home below which programs keep what others have written.
const OF_OTHERS: [&str; 6] = ["cache", "download", "extension", "marketplace", "package", "plugin"];

/// The directories of skills that a policy does not search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unread {
    /// Those that the policy does not mention, those of the project first.
    pub directories: Vec<DirectoryOfSkills>,
    /// Those that the policy leaves out on purpose, for example by `only`.
    pub left_out: Vec<DirectoryOfSkills>,
    /// The folders of other projects below the working directory or in the project. Each has its
    /// own trust.
    pub projects: Vec<DirectoryOfSkills>,
    /// The skills that are inside of other ones, where a search ends.
    pub inside: Vec<DirectoryOfSkills>,
    /// The directories with more directories below than were listed.
    pub not_whole: Vec<PathBuf>,
}

/// A directory, and the directories with a `SKILL.md` in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectoryOfSkills {
    /// The directory.
    pub directory: PathBuf,
    /// The paths of the skills in it; `.` is the directory itself.
    pub skills: Vec<String>,
}

impl DirectoryOfSkills {
    /// Returns a directory of a list, which is added if it is new.
    fn of<'l>(directory: &Path, all: &'l mut Vec<Self>) -> &'l mut Self {
        let at = all.iter().position(|it| it.directory == directory).unwrap_or(all.len());
        if at == all.len() {
            all.push(Self { directory: directory.to_owned(), skills: Vec::new() });
        }
        &mut all[at]
    }

    /// Adds a skill in the directory, or that it is.
    fn add(&mut self, skill: &Path) {
        let path = skill.strip_prefix(&self.directory).unwrap_or(skill).to_string_lossy();
        self.skills.push(if path.is_empty() { ".".to_owned() } else { path.into_owned() });
    }
}

impl Discovery {
    /// Returns the directories of skills that this policy does not search: in the project and in
    /// the home those of clients (`skills`, those at most three levels below a hidden directory,
    /// and those in the directory for configuration), in the home those of plugins, and every
    /// directory of skills at most six levels below the working directory and the project. Those
    /// whose skills are all found by another path, and those with a name that is skipped, are left
    /// out.
    ///
    /// It lists at most 2,000 directories below each of those, and reads no file. It is for people
    /// whose skill is missing: a scan does not need it. A link is no directory where a scan would
    /// not follow it, such as one that leads out of a project.
    ///
    /// Skills in directories that were `found` by another path, such as that of a link, are left out
    /// too. These directories are requested only if there are other skills. With `skills`, at which
    /// a search ended, these are looked into, and those that are seen.
    pub fn unread(
        &self,
        surroundings: &Surroundings,
        skills: &BTreeSet<PathBuf>,
        found: impl FnOnce() -> Vec<PathBuf>,
    ) -> Unread {
        let read = self.real_roots(surroundings);
        let unread = Unread::default();
        let ways = RefCell::default();
        let found = LazyCell::new(|| {
            let mut ways: RefMut<'_, Ways> = ways.borrow_mut();
            found().iter().map(|directory| ways.real(directory)).collect::<HashSet<_>>()
        });
        let finds = |skill: &Path| found.contains(skill);
        let (finds, is_asked, ways, insides) = (&finds, Cell::default(), &ways, !skills.is_empty());
        let (policy, project) = (self, surroundings.project());
        let mut search =
            Search { policy, surroundings, project, read, finds, is_asked, ways, insides, unread };
        search.unread.projects = search.projects_below();
        let installed = search.installed();
        // As one, although some are where those of a client are looked for.
        let is_installed =
            |path: &PathBuf| installed.iter().any(|it| path.starts_with(&it.directory));
        for directory in search.places().into_iter().filter(|it| !is_installed(it)) {
            search.consider(directory, None);
        }
        for it in search.deeper().into_iter().chain(installed) {
            search.consider(it.directory, Some(it.skills));
        }
        search.look_into(skills);
        search.unread
    }

    /// Returns the directories that are searched, by their own paths and by their real ones, with
    /// whether each is no skill itself. Repositories in them are not among them.
    fn real_roots(&self, surroundings: &Surroundings) -> HashMap<PathBuf, bool> {
        let roots = self.searched(surroundings).into_iter();
        let both = roots.flat_map(|root| {
            let paths = [root.directory.canonicalize().ok(), Some(root.directory)];
            paths.into_iter().flatten().map(move |path| (path, root.holds_skills))
        });
        both.collect()
    }

    fn skips(&self, name: &str) -> bool {
        self.skip.iter().any(|skipped| **skipped == *name)
    }
}

struct Search<'s> {
    policy: &'s Discovery,
    surroundings: &'s Surroundings,
    project: Option<&'s Path>,
    /// The directories that are searched, and those that were found; whether each is no skill.
    read: HashMap<PathBuf, bool>,
    /// Returns whether the skill at a real path was found by another one.
    finds: &'s dyn Fn(&Path) -> bool,
    is_asked: Cell<bool>,
    ways: &'s RefCell<Ways>,
    /// Whether skills are looked into.
    insides: bool,
    unread: Unread,
}

impl Search<'_> {
    /// Adds a directory if it has skills that are not read.
    fn consider(&mut self, directory: PathBuf, skills: Option<Vec<String>>) {
        let Ok(real) = directory.canonicalize() else { return };
        let fence = self.fence(&directory);
        if fence.as_ref().is_some_and(|fence| !real.starts_with(fence)) {
            return;
        }
        if self.reads(&real) {
            self.count(&directory, skills.unwrap_or_default());
            // It may be a link, whose skills need not be listed again.
            self.read.entry(directory).or_insert(false);
            return;
        }
        if self.is_skipped(&directory) {
            return;
        }
        let trust = fence.is_none().then_some(Trust::Trusted);
        let follows = |link: &Path| match self.policy.links_by(trust) {
            Links::Never => false,
            Links::WithinRoot => self.leads_into(link, fence.as_ref().unwrap_or(&real)),
            Links::Follow => true,
        };
        let is_skill = |path: &Path| self.is_skill(path);
        let skills = skills.unwrap_or_else(|| Look::new(&follows).skills_in(&real, &is_skill));
        let skills = skills.into_iter();
        let paths = skills.map(|skill| (self.real(&real.join(&skill)), skill));
        let new: Vec<_> = paths.filter(|(path, _)| !self.reads(path)).collect();
        if new.is_empty() {
            return;
        }
        self.read.extend([real, directory.clone()].map(|it| (it, false)));
        let new = new.into_iter().filter(|(path, _)| !(self.finds)(path));
        let skills: Vec<_> = new.map(|(_, skill)| skill).collect();
        if skills.is_empty() {
            return;
        }
        let Unread { directories, left_out, .. } = &mut self.unread;
        let is_left_out = leaves_out(self.policy, &directory, self.surroundings);
        let kind = if is_left_out { left_out } else { directories };
        kind.push(DirectoryOfSkills { directory, skills });
    }

    /// Returns whether a directory is a skill. One that was found is, without a look at it, once
    /// it was asked what was found because of another one.
    fn is_skill(&self, path: &Path) -> bool {
        if self.is_asked.get() && (self.finds)(&self.real(path)) {
            return true;
        }
        let is_skill = is_skill(path);
        let is_new = is_skill && !self.reads(&self.real(path));
        self.is_asked.set(is_new || self.is_asked.get());
        is_skill
    }

    fn real(&self, path: &Path) -> PathBuf {
        self.ways.borrow_mut().real(path)
    }

    /// Returns the real folder of the project that a path is in.
    fn fence(&self, path: &Path) -> Option<PathBuf> {
        let project = self.project.filter(|it| path.starts_with(it))?;
        let home = self.surroundings.home.as_deref().filter(|it| it.starts_with(project));
        (!home.is_some_and(|home| path.starts_with(home))).then(|| self.real(project))
    }

    fn leads_into(&self, link: &Path, folder: &Path) -> bool {
        self.ways.borrow_mut().there(link).is_some_and(|real| real.starts_with(folder))
    }

    /// Returns whether a link may lead to skills: in a project, one that stays in it.
    fn follows(&self, link: &Path) -> bool {
        self.fence(link).is_none_or(|fence| self.leads_into(link, &fence))
    }

    /// Counts skills for the unread directory above them, whose command adds them.
    fn count(&mut self, directory: &Path, mut skills: Vec<String>) {
        skills.retain(|it| {
            let real = self.real(&directory.join(it));
            !(self.finds)(&real)
        });
        let Unread { directories, left_out, .. } = &mut self.unread;
        let mut unread = directories.iter_mut().chain(left_out);
        if let Some(above) = unread.find(|it| directory.starts_with(&it.directory)) {
            skills.iter().for_each(|skill| above.add(&directory.join(skill)));
        }
    }

    /// Returns whether a directory is in one that is searched, or was found. A search ends
    /// at a skill.
    fn reads(&self, directory: &Path) -> bool {
        let mut above = directory.ancestors().enumerate();
        let read = above.find_map(|(at, above)| Some((at, *self.read.get(above)?)));
        let Some((at, holds_skills)) = read else { return false };
        let inside = at.saturating_sub(usize::from(holds_skills));
        !directory.ancestors().skip(1).take(inside).any(is_skill)
    }

    /// Adds what is inside of skills at which a search ended, each by its first path.
    fn look_into(&mut self, skills: &BTreeSet<PathBuf>) {
        let mut seen = HashSet::new();
        for skill in skills {
            if self.read.get(skill) == Some(&true) || !seen.insert(self.real(skill)) {
                continue;
            }
            let Below { found, mut inside, has_more } = self.below(skill);
            self.unread.not_whole.extend(has_more.then(|| skill.clone()));
            for it in found.into_iter().filter(|it| it.directory != *skill) {
                self.consider(it.directory, Some(it.skills));
            }
            inside.retain(|path| !(self.finds)(&self.real(path)));
            let all = &mut self.unread.inside;
            inside.iter().for_each(|path| DirectoryOfSkills::of(skill, all).add(path));
        }
    }

    /// Looks below a directory, but in none that is searched.
    fn below(&self, top: &Path) -> Below {
        let skips = |directory: &Path, name: &str| self.policy.skips(name) || self.reads(directory);
        below(top, self.insides, &skips)
    }

    /// Returns the skills below the working directory and below the project. Those of another
    /// project are that one's.
    fn deeper(&mut self) -> Vec<DirectoryOfSkills> {
        let Surroundings { working_directory, home, .. } = self.surroundings;
        let mut tops: Vec<_> =
            working_directory.as_deref().into_iter().chain(self.project).collect();
        tops.dedup();
        let mut found: Vec<DirectoryOfSkills> = Vec::new();
        for top in tops.into_iter().filter(|it| may_look_below(it, home.as_deref())) {
            let is_new =
                |it: &DirectoryOfSkills| found.iter().all(|old| old.directory != it.directory);
            let below = self.below(top);
            self.unread.not_whole.extend(below.has_more.then(|| top.to_owned()));
            let new: Vec<_> = below.found.into_iter().filter(is_new).collect();
            found.extend(new);
        }
        let known = self.unread.projects.clone();
        found.retain(|it| {
            let other = self.project.and_then(|project| other_project(&it.directory, project));
            let is_known = known.iter().any(|known| it.directory.starts_with(&known.directory));
            if let Some(other) = other.clone().filter(|_| !is_known) {
                let project = DirectoryOfSkills::of(&other, &mut self.unread.projects);
                it.skills.iter().for_each(|skill| project.add(&it.directory.join(skill)));
            }
            !is_known && other.is_none()
        });
        found
    }

    /// Returns the skills in the plugins of the user's clients.
    fn installed(&self) -> Vec<DirectoryOfSkills> {
        let mut found = Vec::new();
        for directory in INSTALLED.iter().filter_map(|it| self.surroundings.in_home(it)) {
            let mut tops = newest_plugins(&directory);
            if tops.is_empty() && !directory.ends_with(CATALOGUE) {
                tops.push(directory.clone());
            }
            let all: Vec<_> = tops.iter().flat_map(|top| self.below(top).found).collect();
            let paths =
                all.iter().flat_map(|it| it.skills.iter().map(|skill| it.directory.join(skill)));
            let inside =
                |path: PathBuf| path.strip_prefix(&directory).ok()?.to_str().map(str::to_owned);
            let skills = paths.filter_map(inside).collect();
            found.push(DirectoryOfSkills { directory, skills });
        }
        found
    }

    /// Returns whether a directory has a name that is skipped, below the project or the home.
    fn is_skipped(&self, directory: &Path) -> bool {
        let above = [self.project, self.surroundings.home.as_deref()];
        let inside = above.into_iter().flatten().find_map(|it| directory.strip_prefix(it).ok());
        let mut names = inside.into_iter().flatten().filter_map(|name| name.to_str());
        names.any(|name| self.policy.skips(name))
    }
}

/// Returns whether a policy is about this directory, and leaves it out.
fn leaves_out(policy: &Discovery, directory: &Path, surroundings: &Surroundings) -> bool {
    let is_of_user = is_of_user(directory, surroundings);
    if is_of_user && !policy.user || !is_of_user && policy.project == ProjectSearch::Never {
        return true;
    }
    let is_searched = |name| policy.known().any(|known| known.name == name);
    KNOWN_CLIENTS.iter().filter(|known| !is_searched(known.name)).any(|known| {
        let skills = surroundings.skills_of(known);
        let of_client = skills.as_deref().and_then(Path::parent);
        directory.ends_with(known.project) || of_client.is_some_and(|it| directory.starts_with(it))
    })
}

/// Returns whether a directory is the user's own: where the user and the programs of the user keep
/// skills in the home, such as `~/.tool/skills` and `~/skills`. Not what others have written there:
/// projects, clones and downloads, and what clients install or cache.
fn is_of_user(directory: &Path, surroundings: &Surroundings) -> bool {
    let Some(home) = surroundings.home.as_deref() else { return false };
    let Some(inside) = surroundings.inside_home(directory) else { return false };
    let project = surroundings.project().filter(|it| *it != home && it.starts_with(home));
    let mut names = inside.iter().map(OsStr::to_string_lossy);
    let is_own =
        inside == Path::new("skills") || names.clone().next().is_some_and(|it| it.starts_with('.'));
    let is_passing = names.any(|name| {
        let name = name.to_ascii_lowercase();
        OF_OTHERS.iter().any(|other| name.contains(other))
    });
    let is_cloned = || {
        let inner =
            Look::new(&|_| true).names(directory).into_iter().map(|name| directory.join(name));
        other_project(directory, home).is_some()
            || inner.into_iter().any(|it| has_other_authors(&it))
    };
    is_own
        && !is_passing
        && !project.is_some_and(|project| directory.starts_with(project))
        && !is_cloned()
}

/// Returns whether skills below a directory may be those of a project: not if the home is there,
/// or everybody's temporary files.
fn may_look_below(directory: &Path, home: Option<&Path>) -> bool {
    !home.is_some_and(|home| home.starts_with(directory)) && !is_shared(directory)
}

/// Returns whether all users may create files in a directory, each their own, as in `/tmp`.
fn is_shared(directory: &Path) -> bool {
    const STICKY_AND_OPEN: u32 = 0o1002;
    directory.metadata().is_ok_and(|it| it.mode() & STICKY_AND_OPEN == STICKY_AND_OPEN)
}
