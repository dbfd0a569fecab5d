//! One directory: is it a package, and what does its `SKILL.md` begin with.

use prowess_core::{Found, ReadFurther, ScanSink, Stamp, Timestamp};
use prowess_dir::{Dir, Epoch, Error, ErrorKind, Glance, Head, Kind, Links};

use crate::problem;
use crate::stamp::{self, Verdict};

/// As much as a sink may ask for, which is also the default of a read.
const MAX_FILE_BYTES: usize = 2 * 1024 * 1024;

/// Enough for nearly every frontmatter; of twice as many, most would be copied for nobody.
pub(crate) const HEAD_BYTES: usize = 2048;

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
    times: Times,
    head: Vec<u8>,
}

/// The present, by the host's clock and by that of the files where it is of use.
#[derive(Clone, Copy)]
pub(crate) struct Times {
    pub(crate) now: Timestamp,
    pub(crate) epoch: Option<Epoch>,
    /// Whether a file that is read for the first time gets a provisional stamp.
    pub(crate) is_provisional: bool,
}

/// Where a package's path ends in [`Prober::path`], and where the part begins that is relative to the
/// open directory. The two meet where the package itself is open.
#[derive(Clone, Copy)]
struct Place {
    package: usize,
    relative: usize,
    /// The inode of the package's directory, if it was found by a listing.
    inode: Option<u64>,
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
    /// It is there and cannot be read.
    Unreadable(Error),
}

impl<'a> Prober<'a> {
    pub(crate) fn new(root: &'a str, times: Times, sink: &'a mut dyn ScanSink) -> Self {
        Self { sink, path: String::new(), seen: Vec::new(), root, times, head: vec![0; HEAD_BYTES] }
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
        let place = Place { package: self.path.len(), relative: parent_length, inode: Some(inode) };
        self.probe(parent, place)
    }

    /// Probes the directory at [`Prober::path`], which is open itself.
    pub(crate) fn probe_opened(&mut self, directory: &Dir) -> Probe {
        let package = self.path.len();
        let relative = if package == 0 { 0 } else { package + 1 };
        self.probe(directory, Place { package, relative, inode: None })
    }

    fn probe(&mut self, directory: &Dir, place: Place) -> Probe {
        for file in FILES {
            if place.package > 0 {
                self.path.push('/');
            }
            self.path.push_str(file);
            let answer = self.skill_file(directory, place, file);
            let probe = match answer {
                Ok(()) => Some(Probe::Package),
                Err(Fault::Absent) => None,
                Err(fault) => Some(self.tell(&fault, place)),
            };
            self.path.truncate(place.package);
            if let Some(probe) = probe {
                return probe;
            }
        }
        Probe::Nothing
    }

    fn tell(&mut self, fault: &Fault, place: Place) -> Probe {
        let (probe, diagnostic) = match fault {
            Fault::Absent => return Probe::Nothing,
            Fault::Closed(error) => {
                let directory = self.absolute(&self.path[..place.package]);
                let diagnostic = problem::directory_unreadable(&directory, error);
                (Probe::Closed, diagnostic)
            }
            Fault::Unreadable(error) => (Probe::Package, problem::skill_file(&self.here(), error)),
        };
        self.sink.problem(diagnostic);
        probe
    }

    /// Reports the `SKILL.md` at [`Prober::path`].
    fn skill_file(
        &mut self,
        directory: &Dir,
        place: Place,
        file: &'static str,
    ) -> Result<(), Fault> {
        let relative = &self.path[place.relative..];
        let mut report = Report {
            package: &self.path[..place.package],
            file,
            times: &self.times,
            inode: place.inode,
            head: &mut self.head,
            sink: &mut *self.sink,
        };
        let known = report.sink.known(report.package);
        let told = known.map(|known| report.told(known, directory, relative));
        if told == Some(Verdict::Unchanged) {
            report.sink.unchanged(report.package);
            return Ok(());
        }
        match directory.glance(relative, Links::Refuse) {
            Ok(glance) => report.opened(glance, known, told),
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
    times: &'r Times,
    inode: Option<u64>,
    head: &'r mut Vec<u8>,
    sink: &'r mut dyn ScanSink,
}

impl Report<'_> {
    /// What the dates of a file say of a stamp of an earlier scan, in one system call.
    fn told(&self, known: Stamp, directory: &Dir, relative: &str) -> Verdict {
        if !known.is_provisional() {
            let is_same = directory.stat_unconfined(relative).is_ok_and(|stat| {
                let stamp = stamp::proper(self.file, &stat, self.times.now);
                stat.kind == Kind::File && stamp::is_proper(known, stamp)
            });
            return if is_same { Verdict::Unchanged } else { Verdict::Changed };
        }
        match (self.provisional(), directory.stat_on_mount(relative)) {
            (Some((found, epoch)), Ok((stat, mount))) => {
                stamp::verdict(known, found, epoch, (&stat, mount))
            }
            _ => Verdict::Changed,
        }
    }

    /// What a provisional stamp is made of, where there may be one.
    fn provisional(&self) -> Option<(stamp::Found<'_>, &Epoch)> {
        let found = stamp::Found { file: self.file, directory: self.inode? };
        Some((found, self.times.epoch.as_ref()?))
    }

    /// A `SKILL.md` that is a link is followed inside its package.
    fn linked(&mut self, package: &Dir, known: Option<Stamp>) -> Result<(), Fault> {
        // The dates of a link are not those of the file, and neither is the directory.
        self.inode = None;
        let glance = package.glance(self.file, Links::FollowInside).map_err(Fault::Unreadable)?;
        self.opened(glance, known, None)
    }

    fn opened(
        &mut self,
        glance: Glance<'_>,
        known: Option<Stamp>,
        told: Option<Verdict>,
    ) -> Result<(), Fault> {
        if known.is_none()
            && self.times.is_provisional
            && !self.sink.needs_size()
            && let Some((found, epoch)) = self.provisional()
        {
            let stamp = stamp::provisional(found, epoch);
            return self.read(Some(stamp), None, |head| glance.read_head(head));
        }
        let file = glance.look().map_err(Fault::Unreadable)?;
        let mut stamp = stamp::proper(self.file, file.stat(), self.times.now);
        if known.is_some_and(|known| stamp::is_proper(known, stamp)) {
            self.sink.unchanged(self.package);
            return Ok(());
        }
        if told == Some(Verdict::Unknown) {
            stamp = stamp.map(stamp::settling);
        }
        self.read(stamp, Some(file.stat().size), |head| file.read_head(head))
    }

    /// Reads as much as the sink asks for.
    fn read(
        &mut self,
        stamp: Option<Stamp>,
        size: Option<u64>,
        read_head: impl Fn(&mut [u8]) -> prowess_dir::Result<Head>,
    ) -> Result<(), Fault> {
        let mut wanted = HEAD_BYTES;
        loop {
            if self.head.len() < wanted {
                self.head.resize(wanted, 0);
            }
            let head = read_head(&mut self.head[..wanted]).map_err(Fault::Unreadable)?;
            let answer = self.sink.found(Found {
                package: self.package,
                file: self.file,
                stamp,
                size,
                head: &self.head[..head.length],
                is_whole_file: head.is_whole_file,
            });
            match answer {
                ReadFurther::UpTo(bytes) if !head.is_whole_file && wanted <= MAX_FILE_BYTES => {
                    wanted = bytes.max(2 * wanted).min(MAX_FILE_BYTES + 1);
                }
                _ => return Ok(()),
            }
        }
    }
}
