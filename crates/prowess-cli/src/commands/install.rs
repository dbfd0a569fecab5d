//! `prowess add`, `remove` and `verify`, and the lines of every command that installs.

pub(crate) mod agents_md;
mod choice;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use prowess::{RemoteErrorKind, RemoteRequest, has_credentials, without_credentials, without_user};
use prowess_source_remote::{LocalSource, LockRemote, WrittenSource};
use prowess_store::{Added, Addition, InstallError, LeftOut, Offered, PlaceState, Placed};
use prowess_text::{counted, enumerated, shell_word};
use serde::Serialize;

use super::placement;
use crate::args::{Add, InstallOptions, Remove};
use crate::failure::Failure;
use crate::features::is_explained_in;
use crate::install_place::{InstallPlace, Unreachable, check_named, reason};
use crate::interrupt::cancelling;
use crate::lock_place::LockPlace;
use crate::output::{DIM, ID, Output};
use crate::paths::absolute;
use crate::question::can_ask;
use crate::terminal::{columns_behind, marked, plain, width, wrapped};

/// What to do about skills in some states.
const NEXT_STEPS: [(&str, &str); 7] = [
    ("edited", "move what is there away and run `prowess sync` to have what is locked"),
    ("blocked", "replace the link or the file on the way by a directory, and run `prowess sync`"),
    ("not placed", "`prowess sync` puts it there"),
    (
        UNTRUSTED,
        "other clients would use it without a question: if you trust its authors, run `prowess \
         trust` here (for `--user`, `prowess trust --source SOURCE`), then `prowess sync`",
    ),
    ("damaged", "`prowess sync` installs damaged packages again"),
    ("changed", "`prowess update --preview` shows what the new version changes"),
    ("quarantined", "`prowess sync --release` writes other bytes to a file, to look at them"),
];

/// The states of skills whose entry in the lock file was written.
const CHANGES: [&str; 4] = ["added", "removed", "restored", "unchanged"];

/// The states of places that do not follow the lock file until a person has changed them.
pub(crate) const EDITED: [&str; 2] = ["edited", "blocked"];

/// The state of a place that waits for the user's trust.
pub(crate) const UNTRUSTED: &str = "not trusted";

/// The exit code of a sync that found other bytes than the locked ones, and of a command that did
/// a part of what it was asked for.
pub(crate) const OTHER_BYTES: u8 = 3;

/// The state of a skill that was asked for and is not installed.
const LEFT_OUT: &str = "left out";

/// The maximum number of files that are named that were left out of a skill.
const MAX_FILES: usize = 3;

/// The remark of a command that has no skill to report.
pub(crate) const NOTHING_INSTALLED: &str = "no skill is installed";

/// One skill with what was done or found.
#[derive(Serialize)]
pub(crate) struct Line {
    pub(crate) id: String,
    pub(crate) state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) detail: Option<String>,
}

/// The output with `--format json`.
#[derive(Serialize)]
pub(crate) struct Lines {
    skills: Vec<Line>,
    /// The lock file that was read or written.
    #[serde(skip_serializing_if = "Option::is_none")]
    lock: Option<PathBuf>,
}

pub(crate) fn add(args: &Add, output: &Output) -> Result<ExitCode, Failure> {
    let place = InstallPlace::to_add(&args.options)?.signed_by(&args.signer)?;
    let mut request = request(&args.source, args.reference.as_deref())?;
    check_named(&request.source)?;
    if place.lock.folder.is_some() {
        // So that the lock means the same in another clone.
        let local = LocalSource::read(&request.source);
        let relative = local.map(|local| local.relative_to(place.lock.directory()));
        request.source = relative.unwrap_or(request.source);
    }
    if args.list {
        let offered = cancelling(|cancel| place.installer().offered(&request, cancel));
        let (offered, left_out) =
            offered.map_err(|error| with_skill_of_reference(error, args, &request))?;
        let line = |(id, skill): (String, Offered)| {
            let size = skill.bytes.map(|bytes| format!(" ({} KiB)", bytes.div_ceil(1 << 10)));
            let detail = Some(skill.description + &size.unwrap_or_default());
            Line { id, state: "offered", detail }
        };
        let lines = offered.into_iter().map(line).collect();
        return print_addition(lines, left_out, |error| help(error, &request.source), None, output);
    }
    let wanted = placement::wanted(args, &place.lock)?;
    agents_md::check(&place.lock, args.agents_md)?;
    let names = match args.names.is_empty() && can_ask(output) {
        true => choice::ask(&place, &request, output)?,
        false => args.names.clone(),
    };
    let directories = wanted.as_ref().map_or(&[][..], |(directories, _)| directories);
    let addition =
        cancelling(|cancel| place.installer().add_for(&request, &names, directories, cancel));
    let addition = addition.map_err(|error| with_skill_of_reference(error, args, &request))?;
    let Addition { added, left_out } = addition;
    let ids: Vec<_> = added.iter().map(|added| added.id.clone()).collect();
    let file = &place.lock.file;
    place.store.begin()?.allow_hosts(file, &ids, &args.options.hosts)?;
    let is_copied_instead = match &wanted {
        Some((directories, form)) => placement::place(&place, &added, directories, *form)?,
        None => false,
    };
    let kept = added.iter().filter(|it| it.skill.source != request.source);
    let from: Vec<_> = kept
        .map(|it| (it.id.clone(), without_credentials(&it.skill.source).into_owned()))
        .collect();
    let mut lines: Vec<_> = added.into_iter().map(|it| added_line(it, output)).collect();
    let placed = place.store.begin()?.restore_places(file)?;
    lines.extend(place_lines(placed).into_iter().filter(|line| ids.contains(&line.id)));
    let code = print_addition(
        lines,
        left_out,
        |error| help(error, &request.source),
        Some(&place.lock),
        output,
    );
    for directory in directories.iter().filter(|_| !ids.is_empty()) {
        output.remark(&format!("  placed in {}\n", plain(&directory.to_string_lossy())));
    }
    for (id, from) in from {
        let (id, from) = (shell_word(&id), plain(&from));
        output.remark(&format!(
            "  {id} has the same files from `{from}` and stays with that source; for this one, run \
             `prowess remove {id}`, then this again\n"
        ));
    }
    let source = LockRemote::absolute(place.lock.directory(), &request.source);
    let path = LocalSource::read(&source).map(|local| Path::new(local.path));
    if let Some((path, folder)) = path.zip(place.lock.folder.as_deref())
        && !path.starts_with(folder)
    {
        output.remark(
            "  the source is outside of the repository: others need it at the same place next to \
             theirs\n",
        );
    }
    if is_copied_instead {
        output.remark(
            "  copied instead of linked: a link would lead out of the repository, into your own \
             store, which other clones do not have\n",
        );
    }
    agents_md::update(&place.lock, args.agents_md)?;
    code
}

/// Prints what was added and, each with its next step, what was left out.
pub(crate) fn print_addition(
    mut lines: Vec<Line>,
    left_out: Vec<LeftOut>,
    help: impl Fn(&InstallError) -> String,
    lock: Option<&LockPlace>,
    output: &Output,
) -> Result<ExitCode, Failure> {
    let has_added = !lines.is_empty();
    let (mut helps, mut lacks_all) = (BTreeSet::new(), true);
    for LeftOut { name, error } in left_out {
        let id = if name.is_empty() { ".".to_owned() } else { name };
        // Next to skills, it is only named.
        if !has_added || !matches!(error, InstallError::NotAlone(_)) {
            helps.insert(help(&error));
        }
        lacks_all &= matches!(error, InstallError::MissingFeature { .. });
        lines.push(Line { id, state: LEFT_OUT, detail: Some(reason(&error)) });
    }
    let is_complete = helps.is_empty();
    print(lines, lock, output)?;
    for help in helps {
        output.remark(&format!("  {DIM}help:{DIM:#} {}\n", plain(&help)));
    }
    if has_added && lock.is_some_and(|lock| lock.folder.is_some() && lock.is_trusted) {
        output.remark(
            "  everybody who trusts this repository gets what its lock file installs, with what it \
             may do\n",
        );
    }
    Ok(match (is_complete, has_added) {
        (true, _) => ExitCode::SUCCESS,
        (false, true) => ExitCode::from(OTHER_BYTES),
        (false, false) => ExitCode::from(if lacks_all { 2 } else { 1 }),
    })
}

/// Returns the next step after a skill of a source was left out.
pub(crate) fn help(error: &InstallError, source: &str) -> String {
    match error {
        InstallError::SeveralSkills { directories, .. } => {
            let directory = directories.first().map_or("", String::as_str);
            if Path::new(source).is_file() {
                return format!("unpack it, and name the directory of one, `{}`", plain(directory));
            }
            let separator = if is_directory_of(source) { "/" } else { "//" };
            let source = shell_word(&format!("{source}{separator}{directory}")).into_owned();
            format!("name the directory of one, as in `prowess add {source}`")
        }
        _ => Failure::from(error.clone()).help,
    }
}

/// Returns whether a directory follows a source after one slash.
fn is_directory_of(source: &str) -> bool {
    let local = LocalSource::read(source);
    local.map_or_else(|| !source.contains(':'), |local| !local.is_repository)
}

/// Other tools write the name of a skill where this one expects a branch or a tag.
fn with_skill_of_reference(error: InstallError, args: &Add, request: &RemoteRequest) -> Failure {
    let is_missing =
        matches!(&error, InstallError::Remote(error) if error.kind == RemoteErrorKind::NotFound);
    let help = help(&error, &request.source);
    let failure = Failure::from(error).with_help(help);
    match &request.reference {
        Some(name) if (is_missing || name.contains('@')) && args.reference.is_none() => {
            // `owner/repo@skill` and `owner/repo#branch@skill`
            let (reference, name) = name.rsplit_once('@').unwrap_or(("", name));
            let reference = match reference {
                "" => String::new(),
                reference => format!(" --ref {}", shell_word(reference)),
            };
            let [source, name] = [&request.source, name].map(shell_word);
            let help = format!(
                "a branch, tag or commit follows `@`; for a skill of that name, run `prowess add \
                 {source} {name}{reference}`"
            );
            failure.with_help(plain(&help))
        }
        _ => failure,
    }
}

pub(crate) fn added_line(added: Added, output: &Output) -> Line {
    let facts = prowess_store::gained(&BTreeSet::new(), &added.skill.surface);
    let state = if added.was_installed { "unchanged" } else { "added" };
    let mut signer = added.skill.signer;
    if !added.unverified.is_empty() {
        let kinds = enumerated(added.unverified.iter().map(String::as_str), "and");
        signer = format!("{signer} (not verified: {kinds})");
    }
    let mut detail =
        if facts.is_empty() { signer } else { format!("{signer}; {}", facts.join(", ")) };
    let most = if output.is_text() { MAX_FILES } else { usize::MAX };
    for file in added.left_out.iter().take(most) {
        let _ = write!(detail, "; left out: {file}");
    }
    if added.left_out.len() > most {
        let _ =
            write!(detail, "; and {} more: `--format json` has all", added.left_out.len() - most);
    }
    if !added.secrets.is_empty() {
        let files = counted(added.secrets.len(), "file");
        let named = enumerated(added.secrets.iter().take(most).map(String::as_str), "and");
        let _ = write!(detail, "; holds {files} that may be secrets of its authors: {named}");
    }
    Line { id: added.id, state, detail: Some(detail) }
}

/// Returns the failure of a source or a target with a password or a token in it, which would be
/// stored and shown.
pub(crate) fn with_credentials(what: &str) -> Failure {
    let message = format!("the {what} contains a password or a token");
    let help = "keep it in `.netrc`, in a credential helper of git, or in a variable such as \
                `PROWESS_TOKEN_GITLAB_EXAMPLE_COM`";
    Failure::new(RemoteErrorKind::Unsupported.as_str(), message, help)
}

/// Returns the request for a source as the lock file has it, with a reference that is named apart.
/// A path does not depend on the working directory.
pub(crate) fn request(written: &str, reference: Option<&str>) -> Result<RemoteRequest, Failure> {
    if has_credentials(&without_user(written)) {
        return Err(with_credentials("source"));
    }
    let with_reference = |request| with_reference(written, request, reference);
    match WrittenSource::read(written) {
        WrittenSource::Local(request) => {
            let request = with_reference(request)?;
            let Some(local) = LocalSource::read(&request.source) else { return Ok(request) };
            let source = local.at(&absolute(Path::new(local.path))?);
            // A path means the files that are there, and a URL what other people get.
            let is_shared = request.source.starts_with("file://")
                && Path::new(local.path).join(".git").exists();
            let is_repository = request.reference.is_some() || is_shared;
            let found = LocalSource::read(&source).map(|it| it.as_found(is_repository));
            let source = found.map(|found| found.at(Path::new(found.path))).unwrap_or(source);
            Ok(RemoteRequest { source, ..request })
        }
        WrittenSource::Short(_) if Path::new(written).exists() => {
            let message = format!("`{written}` is a path here, and may be a repository");
            let [path, short] = ["./", "github:"].map(|start| format!("{start}{written}"));
            let [path, short] = [shell_word(&path), shell_word(&short)];
            let help = format!("write `{path}` for the path or `{short}`");
            Err(Failure::new(RemoteErrorKind::Unsupported.as_str(), message, help))
        }
        WrittenSource::Short(request) | WrittenSource::Remote(request) => with_reference(request),
    }
}

/// Returns a request with the reference that is named apart. Next to it, an `@` or `#` in what is
/// written is a part of the directory's name.
fn with_reference(
    written: &str,
    request: RemoteRequest,
    named: Option<&str>,
) -> Result<RemoteRequest, Failure> {
    let RemoteRequest { mut source, reference, .. } = request;
    if let Some((own, named)) = reference.as_deref().zip(named).filter(|(own, named)| own != named)
    {
        let path = source.split_once("://").map_or(&*source, |(_, path)| path);
        let is_directory = path.contains("//") || path.contains(".git/");
        let rest = written.rfind(own).and_then(|at| written.get(at.checked_sub(1)?..));
        let Some(rest) = rest.filter(|_| is_directory) else {
            let message = format!("the source has the reference `{own}`, and `--ref` is `{named}`");
            return Err(Failure::usage("usage", plain(&message), "write one of the two"));
        };
        source.push_str(rest);
    }
    let reference = named.map(str::to_owned).or(reference);
    Ok(RemoteRequest { reference, ..RemoteRequest::latest(source) })
}

pub(crate) fn remove(args: &Remove, output: &Output) -> Result<ExitCode, Failure> {
    let place = InstallPlace::new(&args.options)?;
    agents_md::check(&place.lock, false)?;
    let ids = place.lock.meant(&args.ids)?;
    let left = place.installer().remove(&ids).map_err(|error| place.lock.explained(error))?;
    let line = |id: String| Line { id, state: "removed", detail: None };
    let mut lines: Vec<_> = ids.into_iter().map(line).collect();
    let removal = placement::removal(place.lock.directory(), &left);
    lines.extend(place_lines(left));
    print(lines, Some(&place.lock), output)?;
    agents_md::update(&place.lock, false)?;
    let Some(removal) = removal else { return Ok(ExitCode::SUCCESS) };
    output.remark(&format!("  {DIM}help:{DIM:#} {}\n", plain(&removal)));
    Ok(ExitCode::from(OTHER_BYTES))
}

/// Compares each package with the lock file, without the network.
pub(crate) fn verify(options: &InstallOptions, output: &Output) -> Result<ExitCode, Failure> {
    let place = InstallPlace::new(options)?;
    let mut is_intact = true;
    let lines = place.lock.file.load()?.skills.into_iter().map(|(id, skill)| {
        let found = place.store.verify(&skill.tree);
        is_intact &= found.is_ok();
        let state = if found.is_ok() { "intact" } else { "damaged" };
        Line { id, state, detail: found.err().map(|error| error.to_string()) }
    });
    let mut lines: Vec<_> = lines.collect();
    explain(&mut lines, &place.unreachable()?);
    if !lines.is_empty() {
        let placed = place_lines(place.store.begin()?.check_places(&place.lock.file)?);
        is_intact &= placed.is_empty();
        lines.extend(placed);
    }
    print_or(lines, NOTHING_INSTALLED, Some(&place.lock), output)?;
    Ok(if is_intact { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Says of each skill that is not as it should be, and whose source this build cannot reach, how it
/// could.
pub(crate) fn explain(lines: &mut [Line], unreachable: &Unreachable) {
    for line in lines.iter_mut().filter(|line| line.state != "intact") {
        let Some(error) = unreachable.get(&line.id) else { continue };
        let found = line.detail.take().filter(|_| line.state == "damaged");
        line.detail = Some(found.into_iter().chain([reason(error)]).collect::<Vec<_>>().join("; "));
    }
}

/// Returns a line for each place of a lock that is not as it was.
pub(crate) fn place_lines(placed: Vec<Placed>) -> Vec<Line> {
    let line = |Placed { id, path, state }: Placed| {
        let (state, detail) = match state {
            PlaceState::Intact => return None,
            PlaceState::Restored => ("placed", path),
            PlaceState::Extended => {
                ("added to", format!("{path} has files of its own, which stay"))
            }
            PlaceState::Missing => ("not placed", path),
            PlaceState::Untrusted => {
                (UNTRUSTED, format!("{path} is not placed, or stays as it was"))
            }
            PlaceState::Edited => {
                ("edited", format!("{path} is not what was installed, and stays"))
            }
            PlaceState::Blocked => (
                "blocked",
                format!(
                    "{path} is behind a link that leads out of the repository, or behind a file"
                ),
            ),
            PlaceState::Left => ("left", format!("{path} is not what was installed, and stays")),
        };
        Some(Line { id, state, detail: Some(detail) })
    };
    placed.into_iter().filter_map(line).collect()
}

/// Prints one line for each skill, or a remark if there are none.
pub(crate) fn print_or(
    skills: Vec<Line>,
    none: &str,
    lock: Option<&LockPlace>,
    output: &Output,
) -> Result<(), Failure> {
    if skills.is_empty() {
        output.remark(&format!("{none}\n"));
    }
    print(skills, lock, output)
}

/// Returns lines as they are printed: without credentials.
pub(crate) fn lines_of(skills: Vec<Line>, lock: Option<&LockPlace>) -> Lines {
    let shown = |detail: String| without_credentials(&detail).into_owned();
    let skills = skills.into_iter().map(|line| Line { detail: line.detail.map(shown), ..line });
    Lines { skills: skills.collect(), lock: lock.map(|lock| lock.file.path().to_owned()) }
}

/// Prints one line for each skill, the next step for some states, and the lock file.
pub(crate) fn print(
    skills: Vec<Line>,
    lock: Option<&LockPlace>,
    output: &Output,
) -> Result<(), Failure> {
    let lines = lines_of(skills, lock);
    output.result(&lines, |lines| lines_text(&lines.skills))?;
    remark_on_states(&lines.skills, output);
    // A command that only reads the user's own has nothing new to say about it.
    let is_change = |line: &Line| CHANGES.contains(&line.state);
    let is_shown = |lock: &&LockPlace| lock.folder.is_some() || lines.skills.iter().any(is_change);
    if let Some(lock) = lock.filter(is_shown) {
        output.remark(&format!("  {DIM}lock file:{DIM:#} {}\n", plain(&lock.described())));
    }
    Ok(())
}

/// Prints the next step for some states.
pub(crate) fn remark_on_states(lines: &[Line], output: &Output) {
    for (state, help) in NEXT_STEPS {
        // A line that names a missing feature has its own next step.
        let is_meant = |line: &&Line| {
            line.state == state && !line.detail.as_deref().is_some_and(is_explained_in)
        };
        if lines.iter().any(|line| is_meant(&line)) {
            output.remark(&format!("  {DIM}help:{DIM:#} {help}\n"));
        }
    }
}

/// Returns the lines about what a person has in the way of a place.
pub(crate) fn edited_lines(place: &InstallPlace) -> Result<Vec<Line>, Failure> {
    let placed = place.store.begin()?.check_places(&place.lock.file)?;
    let is_edited = |line: &Line| EDITED.contains(&line.state);
    Ok(place_lines(placed).into_iter().filter(is_edited).collect())
}

pub(crate) fn lines_text(lines: &[Line]) -> String {
    let ids = lines.iter().map(|line| width(&marked(&line.id))).max().unwrap_or(0);
    let mut text = String::new();
    for Line { id, state, detail } in lines {
        let id = marked(id);
        let _ = write!(text, "{state:11}  {ID}{id}{ID:#}");
        if let Some(detail) = detail.as_deref().map(marked) {
            let gap = ids - width(&id) + 2;
            let margin = "unchanged    ".len() + ids + 2;
            let columns = columns_behind(margin);
            let widest = detail.split(' ').map(width).max();
            if widest > Some(columns) {
                // A path or a digest stays whole, in a line of its own.
                let detail = wrapped(&detail, columns_behind(4), 4);
                let _ = writeln!(text, "\n    {DIM}{detail}{DIM:#}");
                continue;
            }
            let detail = wrapped(&detail, columns, margin);
            let _ = write!(text, "{:gap$}{DIM}{detail}{DIM:#}", "");
        }
        text.push('\n');
    }
    text
}
