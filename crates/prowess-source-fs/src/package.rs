//! One directory: is it a package, and what does its `SKILL.md` begin with.

use prowess_core::{Found, ReadFurther, ScanSink, Stamp, Timestamp};
use prowess_dir::{Dir, Error, ErrorKind, File, Kind, Links};

use crate::problem;
use crate::stamp::stamp;

/// The largest `SKILL.md` that is looked into, which is also the default of a read.
const MAX_FILE_BYTES: usize = 2 * 1024 * 1024;

/// Enough for nearly every frontmatter.
const HEAD_BYTES: usize = 4096;

/// The names of a `SKILL.md`, the better one first.
pub(crate) const FILES: [&str; 2] = ["SKILL.md", "skill.md"];

/// Whether a directory is a package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Probe {
    /// It has a `SKILL.md`, which was reported or told of.
    Package,
    /// It has none.
    Nothing,
    /// It may not be entered, which was told of.
    Closed,
}

/// Probes directories, with one path and one head for all of them.
pub(crate) struct Prober<'a> {
    pub(crate) sink: &'a mut dyn ScanSink,
    /// The directory that is probed, from the root; while it is, with the file's name behind it.
    pub(crate) path: String,
    /// Inode and device of each package's directory.
    pub(crate) seen: Vec<(u64, u64)>,
    root: &'a str,
    now: Timestamp,
    head: Vec<u8>,
}

/// Where a package's path ends in [`Prober::path`], and where the part begins that is relative to the
/// open directory. The two meet where the package itself is open.
#[derive(Clone, Copy)]
struct Place {
    package: usize,
    relative: usize,
}

impl Place {
    fn is_opened(self) -> bool {
        self.relative >= self.package
    }
}

/// Why a `SKILL.md` was not reported.
enum Fault {
    /// There is none.
    Absent,
    /// Its directory may not be entered.
    Closed(Error),
    /// It is there, and larger than a `SKILL.md` may be.
    TooLarge(u64),
    /// It is there and cannot be read.
    Unreadable(Error),
}

impl<'a> Prober<'a> {
    pub(crate) fn new(root: &'a str, now: Timestamp, sink: &'a mut dyn ScanSink) -> Self {
        Self { sink, path: String::new(), seen: Vec::new(), root, now, head: vec![0; HEAD_BYTES] }
    }

    /// The absolute path of a path from the root.
    pub(crate) fn absolute(&self, path: &str) -> String {
        match (self.root, path) {
            (root, "") => root.to_owned(),
            ("/", path) => format!("/{path}"),
            (root, path) => format!("{root}/{path}"),
        }
    }

    /// The absolute path of [`Prober::path`].
    pub(crate) fn here(&self) -> String {
        self.absolute(&self.path)
    }

    /// Sets the path to that of a directory whose names follow; gives its length.
    pub(crate) fn set_parent(&mut self, path: &str) -> usize {
        self.path.clear();
        self.path.push_str(path);
        if !path.is_empty() {
            self.path.push('/');
        }
        self.path.len()
    }

    /// Probes the directory at [`Prober::path`], whose parent is open.
    pub(crate) fn probe_below(&mut self, parent: &Dir, parent_length: usize, inode: u64) -> Probe {
        let place = Place { package: self.path.len(), relative: parent_length };
        let (probe, device) = self.probe(parent, place);
        self.seen.extend(device.map(|device| (inode, device)));
        probe
    }

    /// Probes the directory at [`Prober::path`], which is open itself.
    pub(crate) fn probe_opened(&mut self, directory: &Dir) -> Probe {
        let package = self.path.len();
        let relative = if package == 0 { 0 } else { package + 1 };
        self.probe(directory, Place { package, relative }).0
    }

    /// Also gives the device of a package that was reported.
    fn probe(&mut self, directory: &Dir, place: Place) -> (Probe, Option<u64>) {
        for file in FILES {
            if place.package > 0 {
                self.path.push('/');
            }
            self.path.push_str(file);
            let answer = self.skill_file(directory, place, file);
            let probe = match answer {
                Ok(device) => Some((Probe::Package, Some(device))),
                Err(Fault::Absent) => None,
                Err(fault) => Some((self.tell(&fault, place), None)),
            };
            self.path.truncate(place.package);
            if let Some(probe) = probe {
                return probe;
            }
        }
        (Probe::Nothing, None)
    }

    fn tell(&mut self, fault: &Fault, place: Place) -> Probe {
        let (probe, diagnostic) = match fault {
            Fault::Absent => return Probe::Nothing,
            Fault::Closed(error) => {
                let directory = self.absolute(&self.path[..place.package]);
                let diagnostic = problem::directory_unreadable(&directory, error);
                (Probe::Closed, diagnostic)
            }
            Fault::TooLarge(bytes) => {
                let diagnostic = problem::file_too_large(&self.here(), *bytes, MAX_FILE_BYTES);
                (Probe::Package, diagnostic)
            }
            Fault::Unreadable(error) => (Probe::Package, problem::skill_file(&self.here(), error)),
        };
        self.sink.problem(diagnostic);
        probe
    }

    /// Reports the `SKILL.md` at [`Prober::path`]; gives the device that it is on.
    fn skill_file(
        &mut self,
        directory: &Dir,
        place: Place,
        file: &'static str,
    ) -> Result<u64, Fault> {
        let relative = &self.path[place.relative..];
        let mut report = Report {
            package: &self.path[..place.package],
            file,
            now: self.now,
            head: &mut self.head,
            sink: &mut *self.sink,
        };
        let known = report.sink.known(report.package);
        if known.is_some()
            && let Ok(stat) = directory.stat_unconfined(relative)
            && stat.kind == Kind::File
            && stamp(file, &stat, report.now) == known
        {
            report.sink.unchanged(report.package);
            return Ok(stat.device);
        }
        match directory.open_file(relative, Links::Refuse) {
            Ok(opened) => report.opened(&opened, known),
            Err(error) => match error.kind() {
                ErrorKind::NotFound | ErrorKind::NotADirectory => Err(Fault::Absent),
                ErrorKind::Link if place.is_opened() => report.linked(directory, known),
                ErrorKind::Link => {
                    let package = &self.path[place.relative..place.package];
                    // The directory has become a link since its name was read: it is none any more.
                    let package =
                        directory.open_dir(package, Links::Refuse).map_err(|_| Fault::Absent)?;
                    report.linked(&package, known)
                }
                ErrorKind::Denied if directory.stat_unconfined(relative).is_err() => {
                    Err(Fault::Closed(error))
                }
                _ => Err(Fault::Unreadable(error)),
            },
        }
    }
}

/// What it takes to report one `SKILL.md`.
struct Report<'r> {
    package: &'r str,
    file: &'static str,
    now: Timestamp,
    head: &'r mut Vec<u8>,
    sink: &'r mut dyn ScanSink,
}

impl Report<'_> {
    /// A `SKILL.md` that is a link is followed inside its package.
    fn linked(&mut self, package: &Dir, known: Option<Stamp>) -> Result<u64, Fault> {
        let opened =
            package.open_file(self.file, Links::FollowInside).map_err(Fault::Unreadable)?;
        self.opened(&opened, known)
    }

    fn opened(&mut self, opened: &File<'_>, known: Option<Stamp>) -> Result<u64, Fault> {
        let stat = opened.stat();
        if stat.size > MAX_FILE_BYTES as u64 {
            return Err(Fault::TooLarge(stat.size));
        }
        let stamp = stamp(self.file, stat, self.now);
        if stamp.is_some() && stamp == known {
            self.sink.unchanged(self.package);
            return Ok(stat.device);
        }
        let mut wanted = HEAD_BYTES;
        loop {
            if self.head.len() < wanted {
                self.head.resize(wanted, 0);
            }
            let head = opened.read_head(&mut self.head[..wanted]).map_err(Fault::Unreadable)?;
            let answer = self.sink.found(Found {
                package: self.package,
                file: self.file,
                stamp,
                size: Some(stat.size),
                head: &self.head[..head.length],
                is_whole_file: head.is_whole_file,
            });
            match answer {
                ReadFurther::UpTo(bytes) if !head.is_whole_file && wanted <= MAX_FILE_BYTES => {
                    wanted = bytes.max(2 * wanted).min(MAX_FILE_BYTES + 1);
                }
                _ => return Ok(stat.device),
            }
        }
    }
}
