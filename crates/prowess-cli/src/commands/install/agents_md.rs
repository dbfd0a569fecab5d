//! The list of a repository's skills in its `AGENTS.md`, for clients that read no skills.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use prowess::format::{Head, Profile, SKILL_MD_FILES, Summarized, summarize};
use prowess_dir::{Dir, ErrorKind, Links, Permissions};
use prowess_store::{LockedSkill, Store};
use prowess_text::{clipped, markdown_code, shell_word};

use crate::failure::Failure;
use crate::install_place::store;
use crate::lock_place::LockPlace;

const FILE: &str = "AGENTS.md";

/// The lines around the list.
const START: &str = "<!-- prowess: the skills of this repository; `prowess` replaces this list -->";
const END: &str = "<!-- prowess: end of the list -->";

/// The first words of the list, for a model.
const ABOUT: &str = "## Skills\n\nWhen a task matches one of these descriptions, read the skill \
                     first: its `SKILL.md`, or what the command prints.\n\n";

/// The maximum size of the file, in bytes.
const MOST_BYTES: usize = 4 << 20;

/// The maximum length of a description, in characters: that of the standard.
const MOST_CHARACTERS: usize = 1024;

/// Checks before a change that the list can be updated if there is one, or that there is a
/// repository if one is asked for.
pub(crate) fn check(lock: &LockPlace, is_asked: bool) -> Result<(), Failure> {
    if is_asked && lock.folder.is_none() {
        let message = "`--agents-md` is for a repository, and there is none here";
        let help = "run this in one, or name a lock file with `--lock`";
        return Err(Failure::usage("agents-md-invalid", message, help));
    }
    found(lock, is_asked).map(drop)
}

/// The file, its text if there is one, and where the list is.
type Found = (Place, Option<String>, Option<(usize, usize)>);

/// Returns the file, unless there is no list to update in it.
fn found(lock: &LockPlace, is_asked: bool) -> Result<Option<Found>, Failure> {
    if lock.folder.is_none() {
        return Ok(None);
    }
    let opened = place(lock.directory()).and_then(|place| place.read().map(|text| (place, text)));
    let (place, text) = match opened {
        // Another file than this program writes has no list.
        Err(_) if !is_asked => return Ok(None),
        opened => opened.map_err(|reason| failed(&reason))?,
    };
    let list = block(text.as_deref().unwrap_or_default()).map_err(|reason| failed(&reason))?;
    Ok((is_asked || list.is_some()).then_some((place, text, list)))
}

fn failed(reason: &str) -> Failure {
    let message = format!("the list of skills in `{FILE}` cannot be updated: {reason}");
    Failure::new("agents-md-invalid", message, "correct the file, then run this again")
}

/// Replaces the list, if there is one or one is asked for. Nothing else of the file is changed.
pub(crate) fn update(lock: &LockPlace, is_asked: bool) -> Result<(), Failure> {
    let Some((place, before, found)) = found(lock, is_asked)? else { return Ok(()) };
    let text = before.as_deref().unwrap_or_default();
    let list = list(lock)?;
    let after = match found {
        Some((start, end)) => [&text[..start], &list, &text[end..]].concat(),
        None if text.is_empty() => list,
        None => {
            let gap = if text.ends_with('\n') { "\n" } else { "\n\n" };
            [text, gap, &list].concat()
        }
    };
    if before.as_deref() == Some(&after) {
        return Ok(());
    }
    place.write(before.as_deref(), &after).map_err(|reason| failed(&reason))
}

/// Returns where the list is, with its markers.
fn block(text: &str) -> Result<Option<(usize, usize)>, String> {
    let mut found = (None, None);
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let (start, written) = (at, line.trim_end());
        at += line.len();
        let slot = match written {
            START => (&mut found.0, start),
            END => (&mut found.1, at),
            _ => continue,
        };
        if slot.0.replace(slot.1).is_some() {
            return Err("it has the comments around the list twice".to_owned());
        }
    }
    match found {
        (None, None) => Ok(None),
        (Some(start), Some(end)) if start < end => Ok(Some((start, end))),
        _ => Err("one of the two comments around the list is missing".to_owned()),
    }
}

fn list(lock: &LockPlace) -> Result<String, Failure> {
    let store = store()?;
    let mut text = format!("{START}\n{ABOUT}");
    for (id, skill) in &lock.file.load()?.skills {
        if let Some(description) = description(&store, skill) {
            let place = skill.places.iter().next().map(|it| format!("{}/{id}", it.directory));
            let place = match place {
                Some(place) => format!("{place}/SKILL.md"),
                None => format!("prowess show {}", shell_word(id)),
            };
            let [id, place] = [id, &place].map(|it| markdown_code(it));
            let description = markdown_code(&clipped(&description, MOST_CHARACTERS));
            text += &format!("- {id} ({place}): {description}\n");
        }
    }
    Ok(format!("{text}{END}\n"))
}

/// Returns the description of an installed skill; `None` if it is not meant for a model.
fn description(store: &Store, skill: &LockedSkill) -> Option<String> {
    let package = Dir::open(store.package_directory(&skill.tree)).ok()?;
    let bytes = SKILL_MD_FILES.iter().find_map(|file| package.read(file, MOST_BYTES).ok())?;
    let head = Head { bytes: &bytes, is_whole_file: true };
    let Summarized::Done(Some(summary), _) = summarize(head, None, Profile::Lenient) else {
        return None;
    };
    let conditions = summary.conditions.to_conditions();
    let is_hidden = conditions.is_some_and(|conditions| conditions.not_by_model);
    (!is_hidden).then(|| summary.description.into_owned())
}

/// The file, where links inside the repository lead.
struct Place {
    directory: Dir,
    name: String,
}

fn place(directory: &Path) -> Result<Place, String> {
    let words = |error: std::io::Error| error.to_string();
    let directory = directory.canonicalize().map_err(words)?;
    let path: PathBuf = match directory.join(FILE).canonicalize() {
        Ok(path) if path.starts_with(&directory) => path,
        Ok(_) => return Err("it is a link that leads out of the repository".to_owned()),
        Err(_) => directory.join(FILE),
    };
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or(FILE).to_owned();
    let parent = path.parent().unwrap_or(&directory);
    Ok(Place { directory: Dir::open(parent).map_err(|error| error.to_string())?, name })
}

impl Place {
    fn read(&self) -> Result<Option<String>, String> {
        match self.directory.read(&self.name, MOST_BYTES) {
            Ok(bytes) => String::from_utf8(bytes).map(Some).map_err(|_| "it is not UTF-8".into()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }

    fn write(&self, before: Option<&str>, after: &str) -> Result<(), String> {
        let written = match before {
            Some(before) => {
                let (before, after) = (before.as_bytes(), after.as_bytes());
                self.directory.replace_file(&self.name, Links::Refuse, before, after)
            }
            None => {
                let temporary = format!(".{FILE}.{}.tmp", std::process::id());
                let readable = Permissions::Readable;
                self.directory.put_file(&self.name, &temporary, after.as_bytes(), readable)
            }
        };
        written.map_err(|error| error.to_string())
    }
}
