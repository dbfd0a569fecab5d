//! One directory: is it a package, and what does its `SKILL.md` begin with.

use prowess_core::{Diagnostic, PreviousScan, ScanSink};
use prowess_dir::{Dir, Error, Links, SpentFiles};

use crate::probe::{FileLocation, FileProber, Origin, ProbeRequest, ProbeResult, Times};
use crate::problem;
use crate::report::{Fault, Reporter};

/// Enough for nearly every frontmatter; of twice as many, most would be copied in vain.
pub(crate) const HEAD_BYTES: usize = 2048;

pub(crate) use prowess_core::SKILL_MD_FILES as FILES;

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
    pub(crate) reporter: Reporter<'a>,
    /// The directory that is probed, from the root; while it is, with the file's name behind it.
    pub(crate) path: String,
    /// Inode and device of each package's directory.
    pub(crate) seen: Vec<(u64, u64)>,
    root: &'a str,
    head: Box<[u8]>,
}

/// Where a package's path ends in [`Prober::path`], and where the part begins that is relative to the
/// open directory. The two meet where the package itself is open.
#[derive(Clone, Copy)]
struct Place {
    package: usize,
    relative: usize,
    origin: Origin,
}

impl<'a> Prober<'a> {
    pub(crate) fn new(
        root: &'a str,
        times: Times,
        previous: &PreviousScan<'a>,
        sink: &'a mut dyn ScanSink,
    ) -> Self {
        let files = FileProber { times, expects_changes: false, spent: SpentFiles::default() };
        Self {
            reporter: Reporter { previous: *previous, sink, files },
            path: String::new(),
            seen: Vec::new(),
            root,
            head: vec![0; HEAD_BYTES].into(),
        }
    }

    /// Tells of something that is wrong.
    pub(crate) fn problem(&mut self, diagnostic: Diagnostic) {
        self.reporter.sink.problem(diagnostic);
    }

    /// Reports a directory that cannot be read.
    pub(crate) fn unreadable(&mut self, directory: &str, error: &Error) {
        let absolute = self.absolute(directory);
        let diagnostic = problem::directory_unreadable(&absolute, error);
        self.reporter.sink.unreadable(directory, diagnostic);
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
        let place = Place {
            package: self.path.len(),
            relative: parent_length,
            origin: Origin::Listing(inode),
        };
        self.probe(parent, place, &FILES)
    }

    /// Probes the directory at [`Prober::path`], which is open itself.
    pub(crate) fn probe_opened(&mut self, directory: &Dir) -> Probe {
        let package = self.path.len();
        let relative = if package == 0 { 0 } else { package + 1 };
        self.probe(directory, Place { package, relative, origin: Origin::Opened }, &FILES)
    }

    /// Probes a directory whose parent is open and of whose [`FILES`] the first was asked about already.
    pub(crate) fn probe_answered(
        &mut self,
        request: &ProbeRequest<'_>,
        location: FileLocation<'_>,
        result: ProbeResult,
        head: &[u8],
    ) -> Probe {
        let Err(fault) = self.reporter.report(request, location, result, head) else {
            return Probe::Package;
        };
        self.path.clear();
        self.path.push_str(request.package);
        // The last listing says that the directory is the same, and not which of its files is known.
        let origin = match request.origin {
            Origin::LastListing => Origin::Opened,
            origin => origin,
        };
        let package = request.package.len();
        let place = Place { package, relative: package - location.package.len(), origin };
        self.tell(&fault, place, request.file)
            .unwrap_or_else(|| self.probe(location.directory, place, &FILES[1..]))
    }

    fn probe(&mut self, directory: &Dir, place: Place, files: &[&'static str]) -> Probe {
        for file in files {
            let probe = match self.skill_file(directory, place, file) {
                Ok(()) => Some(Probe::Package),
                Err(fault) => self.tell(&fault, place, file),
            };
            if let Some(probe) = probe {
                return probe;
            }
        }
        Probe::Nothing
    }

    /// Tells why the package at [`Prober::path`] is not reported, unless it only lacks this file.
    fn tell(&mut self, fault: &Fault, place: Place, file: &str) -> Option<Probe> {
        match fault {
            Fault::Absent => None,
            Fault::Closed(error) => {
                let directory = self.path.clone();
                self.unreadable(&directory, error);
                Some(Probe::Closed)
            }
            Fault::Unreadable(error) => {
                self.enter(file);
                self.problem(problem::skill_file(&self.here(), error));
                self.path.truncate(place.package);
                Some(Probe::Package)
            }
        }
    }

    /// Adds a file's name to the path.
    fn enter(&mut self, file: &str) {
        if !self.path.is_empty() {
            self.path.push('/');
        }
        self.path.push_str(file);
    }

    /// Reports a `SKILL.md` of the package at [`Prober::path`].
    fn skill_file(
        &mut self,
        directory: &Dir,
        place: Place,
        file: &'static str,
    ) -> Result<(), Fault> {
        self.enter(file);
        let Self { path, reporter, head, .. } = self;
        let package = &path[..place.package];
        let known = reporter.previous.stamp(package);
        let request = ProbeRequest { package, file, origin: place.origin, known };
        let location = FileLocation {
            directory,
            package: path.get(place.relative..place.package).unwrap_or_default(),
            path: path[place.relative..].into(),
            links: Links::Refuse,
        };
        let result = reporter.files.probe(&request, location, head);
        let reported = reporter.report(&request, location, result, head);
        self.path.truncate(place.package);
        reported
    }
}
