//! Skills that are on this machine and not read, and the commands that show them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use prowess::source_fs::{
    DirectoryOfSkills, Discovery, ProjectTrust, Setting, Surroundings, Unread,
};
use prowess::{Catalog, Code, Diagnostic, Policies, Severity};
use prowess_dir::Dir;
use prowess_source_remote::{LocalSource, LockRemote};
use prowess_store::{LockFile, LockedSkill};
use prowess_text::shell_path;
use serde::Serialize;

use crate::args::Global;
use crate::commands::config::{in_yaml, setting};
use crate::commands::explain::nowhere;
use crate::failure::Failure;
use crate::lock_place;
use crate::output::{Output, counted};
use crate::paths::surroundings;
use crate::policies::{Found, is_trusted_folder};
use crate::terminal::plain;

const SKILLS_NOT_READ: Code = Code::new("skills-not-read");
const SKILL_INSIDE_SKILL: Code = Code::new("skill-inside-skill");
const SEARCH_ENDED: Code = Code::new("search-ended");
const PROJECTS_BELOW: Code = Code::new("projects-below");

/// The maximum number of directories that a sentence names.
const MOST_NAMED: usize = 4;

/// The skills that are elsewhere. Nothing is, if the command line names the roots.
#[derive(Default)]
pub(crate) struct Elsewhere {
    unread: Unread,
    adding: Adding,
}

/// The state that commands which add directories depend on.
#[derive(Default)]
struct Adding {
    surroundings: Surroundings,
    /// The user's own policy.
    discovery: Discovery,
    /// The option with the directory in which this command was started, if it has one.
    here: String,
    is_trusted: bool,
    /// The configuration, if nothing stands in for it.
    found: Option<Found>,
}

/// A directory in JSON.
#[derive(Serialize)]
pub(crate) struct UnreadLine {
    directory: String,
    skills: usize,
}

impl Elsewhere {
    /// Skills of the catalog are read, also those that links lead to.
    pub(crate) fn of(
        global: &Global,
        policies: &Policies,
        catalog: &Catalog,
    ) -> Result<Self, Failure> {
        Self::around(global, policies, catalog, &BTreeSet::new())
    }

    /// Looks into the skills, too, at which a search has ended. That lists each once more.
    pub(crate) fn with_insides(
        global: &Global,
        policies: &Policies,
        catalog: &Catalog,
    ) -> Result<Self, Failure> {
        // Those that cannot be used have a finding. So has a link that is not followed.
        let places = catalog.diagnostics().filter_map(|it| it.path.as_deref().map(Path::new));
        let broken = places.filter_map(nowhere::skill_at).filter(|it| !it.is_symlink());
        let skills = directories(catalog).chain(broken.map(Path::to_owned));
        Self::around(global, policies, catalog, &skills.filter(|it| it.is_absolute()).collect())
    }

    fn around(
        global: &Global,
        policies: &Policies,
        catalog: &Catalog,
        skills: &BTreeSet<PathBuf>,
    ) -> Result<Self, Failure> {
        if !global.skills.root.is_empty() {
            return Ok(Self::default());
        }
        let adding = Adding::of(global)?;
        let unread = policies.discovery.unread(&adding.surroundings, skills, || {
            let installed = installed_from(&adding.surroundings, &policies.discovery);
            directories(catalog).chain(installed).collect()
        });
        Ok(Self { unread, adding })
    }

    /// Returns the findings, each with the command as its help.
    pub(crate) fn findings(&self) -> Vec<Diagnostic> {
        self.sentences()
            .into_iter()
            .map(|(code, place, what, how)| {
                Diagnostic::new(code, Severity::Hint, what, how).in_file(place)
            })
            .collect()
    }

    /// Returns each finding as one line.
    pub(crate) fn lines(&self) -> String {
        let sentences = self.sentences().into_iter();
        sentences.map(|(_, _, what, how)| format!("{}; {}\n", plain(&what), plain(&how))).collect()
    }

    /// Prints each finding as one line.
    pub(crate) fn remark(&self, output: &Output) {
        output.remark(&self.lines());
    }

    pub(crate) fn in_json(&self) -> Vec<UnreadLine> {
        let line = |it: &DirectoryOfSkills| UnreadLine {
            directory: it.directory.to_string_lossy().into_owned(),
            skills: it.skills.len(),
        };
        let Unread { directories, left_out, .. } = &self.unread;
        directories.iter().chain(left_out).map(line).collect()
    }

    /// Returns why a skill with this name, or at this path, is not read. One below no root is
    /// looked for further away.
    pub(crate) fn reason(&self, query: &str, path: &Path, is_far: bool) -> Option<String> {
        let is_it = |it: &&DirectoryOfSkills| {
            let mut skills = it.skills.iter();
            path.starts_with(&it.directory)
                || skills.any(|skill| it.directory.join(skill).ends_with(query))
        };
        let Unread { directories, left_out, projects, .. } = &self.unread;
        let directory = match directories.iter().chain(left_out).chain(projects).find(is_it) {
            Some(found) => found.directory.clone(),
            // Too far away to be looked at by every command.
            None if is_far => self.adding.directory_of(query, path)?,
            None => return None,
        };
        let other = self.adding.surroundings.project_within(&directory);
        let other = other.or_else(|| projects.iter().find(is_it).map(|it| it.directory.clone()));
        let command = match other {
            Some(project) => seen_from(&project),
            None => self.adding.command([directory.as_path()]),
        };
        Some(format!("`{query}` is in `{}`, which is not read; {command}", directory.display()))
    }

    fn sentences(&self) -> Vec<(Code, String, String, String)> {
        let mut sentences = Vec::new();
        let mut say = |code, directories: &[&DirectoryOfSkills], place: &str, how: String| {
            let Some(first) = directories.first() else { return };
            let all = counted(directories.iter().map(|it| it.skills.len()).sum(), "skill");
            let name = |it: &&DirectoryOfSkills| {
                format!("`{}` ({})", it.directory.display(), it.skills.len())
            };
            let named: Vec<_> = directories.iter().take(MOST_NAMED).map(name).collect();
            let more = match directories.len().saturating_sub(MOST_NAMED) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let what = format!("{all} {place}: {}{more}", named.join(", "));
            let file = first.directory.to_string_lossy().into_owned();
            sentences.push((code, file, what, how));
        };
        let home = self.adding.surroundings.home.as_deref().unwrap_or(Path::new("/"));
        let project = self.adding.surroundings.project().unwrap_or(home);
        let (of_project, others): (Vec<_>, Vec<_>) =
            self.unread.directories.iter().partition(|it| {
                // A home may be above the project, or be it.
                project != home && it.directory.starts_with(project)
            });
        for unread in [of_project, others] {
            let command = self.adding.command(unread.iter().map(|it| it.directory.as_path()));
            say(SKILLS_NOT_READ, &unread, "not read", command);
        }
        let left_out: Vec<_> = self.unread.left_out.iter().collect();
        let command = self.adding.command(left_out.iter().map(|it| it.directory.as_path()));
        say(SKILLS_NOT_READ, &left_out, "left out by your configuration", command);
        let projects: Vec<_> = self.unread.projects.iter().collect();
        let how = projects.first().map(|first| seen_from(&first.directory)).unwrap_or_default();
        say(PROJECTS_BELOW, &projects, "in projects below this directory", how);
        let inside: Vec<_> = self.unread.inside.iter().collect();
        let how = "a search ends at a skill; to have them read, move them out of it".to_owned();
        say(SKILL_INSIDE_SKILL, &inside, "inside of another skill", how);
        for directory in self.unread.not_whole.iter().map(|it| it.display().to_string()) {
            let what =
                format!("the look for directories with skills below `{directory}` was cut short");
            let how = "`prowess explain NAME` finds a skill that is further down".to_owned();
            sentences.push((SEARCH_ENDED, directory, what, how));
        }
        sentences
    }
}

/// Returns the directories of the skills of a catalog.
fn directories(catalog: &Catalog) -> impl Iterator<Item = PathBuf> {
    let records = catalog.skills().chain(catalog.excluded());
    records.map(|it| PathBuf::from(it.root_directory()))
}

/// Returns the directories that installed skills come from, and where they are placed: their skills
/// are not read twice.
fn installed_from(machine: &Surroundings, discovery: &Discovery) -> Vec<PathBuf> {
    let mut directories = Vec::new();
    for file in lock_place::all(machine, discovery) {
        directories.extend(sources_of(&file).into_iter().map(|(_, directory)| directory));
        let own = file.path().parent().unwrap_or(Path::new("."));
        for (id, skill) in file.load().unwrap_or_default().skills {
            directories.extend(skill.places.iter().map(|it| own.join(&it.directory).join(&id)));
        }
    }
    directories
}

/// Returns the skills of a lock file that come from a directory, with that.
pub(crate) fn sources_of(file: &LockFile) -> Vec<(String, PathBuf)> {
    let own = file.path().parent().unwrap_or(Path::new("."));
    let skills = file.load().unwrap_or_default().skills.into_iter();
    let directory = |(id, skill): (String, LockedSkill)| {
        let source = LockRemote::absolute(own, &skill.source);
        let local = LocalSource::read(&source)?;
        let package = Path::new(local.path).join(local.directory);
        Some((id, package.join(skill.path.as_deref().unwrap_or_default())))
    };
    skills.filter_map(directory).collect()
}

/// Returns the command that lists the skills of another project, which has its own trust.
fn seen_from(project: &Path) -> String {
    format!("see those of one with `prowess -C {} list`", shell_path(project))
}

impl Adding {
    fn of(global: &Global) -> Result<Self, Failure> {
        let surroundings = surroundings()?;
        let found = Found::of(global)?;
        let merged = found.configuration.policies();
        let discovery = merged.operator.as_deref().unwrap_or(merged).discovery.clone();
        let here = global.start.as_deref();
        let here = here.map(|start| format!(" -C {}", shell_path(start))).unwrap_or_default();
        let opened = surroundings.project().and_then(|it| Some((it, Dir::open(it).ok()?)));
        let is_trusted = discovery.project_trust == ProjectTrust::Trusted
            || opened.is_some_and(|(it, opened)| is_trusted_folder(&surroundings, it, &opened));
        let found = Some(found.clone());
        Ok(Self { surroundings, discovery, here, is_trusted, found })
    }

    /// Returns how directories are added, as typed where this command was.
    fn command<'d>(&self, directories: impl IntoIterator<Item = &'d Path>) -> String {
        let Self { surroundings, here, found, .. } = self;
        let (mut steps, mut commands) = (Vec::new(), Vec::new());
        for it in self.discovery.settings_that_add(directories, surroundings) {
            let Setting { key, mut values, adds, is_of_project } = it;
            if adds {
                values = values.iter().map(|value| in_yaml(value)).collect();
            }
            // The file of a project counts once its folder is trusted.
            if is_of_project && !self.is_trusted {
                commands.push(format!("prowess{here} trust"));
            }
            if let Some(place) = found.as_ref().and_then(|found| found.above(&key)) {
                let values = values.join(", ");
                let what = match adds {
                    true => format!("add `{values}` to `{key}`"),
                    false => format!("set `{key}` to `{values}`"),
                };
                steps.push(format!("{what} in `{place}`, which decides it"));
                continue;
            }
            let unusable = found.as_ref().and_then(|found| found.unusable(is_of_project));
            steps.extend(unusable.map(|file| format!("correct `{}`", file.display())));
            let options = [(adds, "--add "), (is_of_project, "--project ")];
            let options = options.map(|(is_set, option)| if is_set { option } else { "" });
            let here = if is_of_project { here } else { "" };
            commands.push(setting(here, &options.concat(), &key, &values));
        }
        let others = match commands.iter().any(|it| it.contains(" discovery.roots.project ")) {
            true => {
                "; others have written those of `discovery.roots.project`, so they stay hidden \
                 until you trust each directory"
            }
            false => "",
        };
        if !commands.is_empty() {
            steps.push(format!("run `{}`{others}", commands.join(" && ")));
        }
        format!("to read them, {}", steps.join(", and "))
    }

    /// Returns the directory of the skill at a path, or of the one in the project with this name.
    fn directory_of(&self, name: &str, path: &Path) -> Option<PathBuf> {
        let Surroundings { home, .. } = &self.surroundings;
        let project = self.surroundings.project()?;
        let place = match nowhere::skill_at(path) {
            Some(skill) => skill.to_owned(),
            None if home.as_deref() == Some(project) => return None,
            None => nowhere::in_project(project, name)?,
        };
        Some(place.parent().unwrap_or(&place).to_owned())
    }
}
