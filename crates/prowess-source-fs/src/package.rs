//! Determines whether a directory is a package, and reads the beginning of its `SKILL.md`.

use prowess_core::{Diagnostic, PreviousScan, ScanSink};
use prowess_dir::{Dir, Error, ErrorKind, Kind, Links};

use crate::probe::FileProber;
use crate::probe_request::{FileLocation, Origin, ProbeRequest, ProbeResult};
use crate::problem;
use crate::report::{Fault, Reporter};

pub(crate) use prowess_core::SKILL_MD_FILES as FILES;

/// Device and inode of a directory.
pub(crate) type Identity = (u64, u64);

/// Whether a directory is a package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Probe {
    /// It has a `SKILL.md`, which was reported, or a problem with it was.
    Package,
    /// It has none.
    Nothing,
    /// It cannot be entered, which was reported.
    Closed,
}

/// Probes directories, with one path and one head for all of them.
pub(crate) struct Prober<'a> {
    pub(crate) reporter: Reporter<'a>,
    /// The directory that is probed, from the root; while it is, with the file's name behind it.
    pub(crate) path: String,
    /// The number of problems that were reported.
    pub(crate) reported: usize,
    /// Inode and device of each package's directory.
    pub(crate) seen: Vec<(u64, u64)>,
    /// The packages that links lead to, with the device and the inode of each.
    pub(crate) linked: Vec<(String, Identity)>,
    root: &'a str,
    head: Box<[u8]>,
}

/// The end of a package's path in [`Prober::path`], and the start of the part that is relative to
/// the open directory. The two are equal if the package itself is open.
#[derive(Clone, Copy)]
struct PathParts {
    package: usize,
    relative: usize,
    origin: Origin,
}

impl<'a> Prober<'a> {
    pub(crate) fn new(
        root: &'a str,
        files: FileProber,
        previous: &PreviousScan<'a>,
        sink: &'a mut dyn ScanSink,
    ) -> Self {
        let head = vec![0; files.head_bytes()].into();
        Self {
            reporter: Reporter { previous: *previous, sink, files },
            path: String::new(),
            reported: 0,
            seen: Vec::new(),
            linked: Vec::new(),
            root,
            head,
        }
    }

    pub(crate) fn problem(&mut self, diagnostic: Diagnostic) {
        self.reported += 1;
        self.reporter.sink.problem(diagnostic);
    }

    /// Reports a directory that cannot be read.
    pub(crate) fn unreadable(&mut self, directory: &str, error: &Error) {
        let absolute = self.absolute(directory);
        let diagnostic = problem::directory_unreadable(&absolute, error);
        self.reported += 1;
        self.reporter.sink.unreadable(directory, diagnostic);
    }

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

    /// Sets the path to that of a directory.
    pub(crate) fn set_path(&mut self, path: &str) {
        path.clone_into(&mut self.path);
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
        let (package, origin) = (self.path.len(), Origin::Listing(inode));
        self.probe(parent, PathParts { package, relative: parent_length, origin }, &FILES)
    }

    /// The same for the first of the [`FILES`] alone.
    pub(crate) fn probe_first(&mut self, parent: &Dir, parent_length: usize, inode: u64) -> Probe {
        let (package, origin) = (self.path.len(), Origin::Listing(inode));
        self.probe(parent, PathParts { package, relative: parent_length, origin }, &FILES[..1])
    }

    /// Probes the directory at [`Prober::path`], which is open itself.
    pub(crate) fn probe_opened(&mut self, directory: &Dir) -> Probe {
        let package = self.path.len();
        let relative = if package == 0 { 0 } else { package + 1 };
        self.probe(directory, PathParts { package, relative, origin: Origin::Opened }, &FILES)
    }

    /// Reports a `SKILL.md` in a root that is no package.
    pub(crate) fn probe_holder(&mut self, root: &Dir) -> Probe {
        let found = FILES.into_iter().find_map(|file| match root.stat_unconfined(file) {
            Ok(stat) => (stat.kind != Kind::Directory).then_some(Ok(file)),
            Err(error) => (error.kind() != ErrorKind::NotFound).then_some(Err(error)),
        });
        match found {
            Some(Ok(file)) => self.problem(problem::misplaced_file(&self.absolute(file))),
            Some(Err(error)) => self.unreadable("", &error),
            None => {}
        }
        Probe::Nothing
    }

    /// Probes the directory at [`Prober::path`], which is open itself and which a listing returned,
    /// unless the inode is 0.
    pub(crate) fn probe_listed(&mut self, directory: &Dir, inode: u64) -> Probe {
        let package = self.path.len();
        let origin = if inode == 0 { Origin::Opened } else { Origin::Listing(inode) };
        self.probe(directory, PathParts { package, relative: package + 1, origin }, &FILES)
    }

    /// Reports a directory whose parent is open and whose first of the [`FILES`] was probed.
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
        // The last listing shows that the directory is the same, but not which of its files is
        // known.
        let origin = match request.origin {
            Origin::LastListing => Origin::Opened,
            origin => origin,
        };
        let package = request.package.len();
        let parts = PathParts { package, relative: package - location.package.len(), origin };
        self.report_fault(&fault, parts, request.file).unwrap_or(Probe::Nothing)
    }

    fn probe(&mut self, directory: &Dir, parts: PathParts, files: &[&'static str]) -> Probe {
        for file in files {
            let probe = match self.skill_file(directory, parts, file) {
                Ok(()) => Some(Probe::Package),
                Err(fault) => self.report_fault(&fault, parts, file),
            };
            if let Some(probe) = probe {
                return probe;
            }
        }
        Probe::Nothing
    }

    /// Reports why the package at [`Prober::path`] cannot be used, unless it only lacks this file.
    fn report_fault(&mut self, fault: &Fault, parts: PathParts, file: &str) -> Option<Probe> {
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
                self.path.truncate(parts.package);
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
        parts: PathParts,
        file: &'static str,
    ) -> Result<(), Fault> {
        self.enter(file);
        let Self { path, reporter, head, .. } = self;
        let package = &path[..parts.package];
        let known = reporter.previous.stamp(package);
        let request = ProbeRequest { package, file, origin: parts.origin, known };
        let location = FileLocation {
            directory,
            package: path.get(parts.relative..parts.package).unwrap_or_default(),
            path: path[parts.relative..].into(),
            links: Links::Refuse,
        };
        let result = reporter.files.probe(&request, location, head);
        let reported = reporter.report(&request, location, result, head);
        self.path.truncate(parts.package);
        reported
    }
}
