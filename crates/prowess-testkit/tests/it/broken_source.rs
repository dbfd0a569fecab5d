//! Sources with one fault each, so that every check of the kit is seen to fail.

use std::sync::{Arc, Mutex};

use prowess_core::{
    Cancel, ChangeListener, Code, Coverage, Diagnostic, Found, KnownPackages, Listing,
    MemorySource, PackagePath, PreviousScan, ReadFurther, ReadLimit, Resource, ResourcePath,
    ScanSink, ScanSummary, Severity, SkillSource, SourceChange, SourceError, SourceErrorKind,
    Stamp, Watch,
};

/// The faults of sources, each of which breaks a rule.
pub(crate) const FAULTS: &str = include_str!("../data/faults.txt");

pub(crate) struct BrokenSource {
    good: MemorySource,
    fault: &'static str,
    has_unreadable: bool,
    listener: Arc<Mutex<Option<ChangeListener>>>,
}

/// Ends a watch when it is dropped.
struct Keeper(Arc<Mutex<Option<ChangeListener>>>);

impl Drop for Keeper {
    fn drop(&mut self) {
        self.0.lock().expect("no thread panics under the lock").take();
    }
}

impl BrokenSource {
    pub(crate) fn new(good: MemorySource, fault: &'static str) -> Self {
        Self { good, fault, has_unreadable: false, listener: Arc::default() }
    }

    pub(crate) fn with_unreadable(good: MemorySource, fault: &'static str) -> Self {
        Self { has_unreadable: true, ..Self::new(good, fault) }
    }

    /// Behaves as if `package` had been written to.
    pub(crate) fn change(&self, package: &str) {
        let listener = self.listener.lock().expect("no thread panics under the lock");
        let package = PackagePath::new(package).expect("a path");
        if let (Some(listener), true) = (&*listener, self.fault != "changes are not reported") {
            listener(SourceChange::Packages(vec![package]));
        }
    }
}

/// Knows what the previous scan found, with the fault.
struct Forgetful<'a> {
    previous: &'a PreviousScan<'a>,
    fault: &'static str,
}

impl KnownPackages for Forgetful<'_> {
    fn stamp(&self, package: &str) -> Option<Stamp> {
        let known = self.previous.stamp(package);
        match self.fault {
            "known packages are read" => None,
            "all packages are unchanged" => known.map(|_| Stamp::exact(1)),
            _ => known,
        }
    }
}

/// Passes on what a good source reports, with the fault.
struct Between<'a> {
    sink: &'a mut dyn ScanSink,
    fault: &'static str,
}

impl ScanSink for Between<'_> {
    fn unchanged(&mut self, package: &str) {
        self.sink.unchanged(package);
    }

    fn found(&mut self, found: Found<'_>) -> ReadFurther {
        match self.fault {
            "a package is forgotten" if found.package == "lower" => return ReadFurther::No,
            "a package is reported twice" => drop(self.sink.found(found)),
            "a path is not in its normal form" => {
                let package = format!("./{}", found.package);
                return self.sink.found(Found { package: &package, ..found });
            }
            "`skill.md` is preferred" if found.package == "a" => {
                return self.sink.found(Found { file: "skill.md", head: b"2", ..found });
            }
            "a file is read no further" if found.head.len() > 4096 => {
                let head = &found.head[..4096];
                let found = Found { head, is_whole_file: false, ..found };
                self.sink.found(found);
                return ReadFurther::No;
            }
            _ => {}
        }
        self.sink.found(found)
    }

    fn problem(&mut self, diagnostic: Diagnostic) {
        self.sink.problem(diagnostic);
    }
}

impl SkillSource for BrokenSource {
    prowess_core::forward_source! { [good] name root }

    fn scan(
        &self,
        previous: &PreviousScan<'_>,
        sink: &mut dyn ScanSink,
        cancel: &Cancel,
    ) -> Result<ScanSummary, SourceError> {
        if self.has_unreadable && self.fault == "an unreadable file is an error" {
            return Err(SourceError::new(SourceErrorKind::Unavailable, "one file is bad"));
        }
        if self.has_unreadable && self.fault != "an unreadable file is not reported" {
            let code = Code::new("file-unreadable");
            let problem = Diagnostic::new(code, Severity::Error, "it cannot be read", "fix it");
            sink.problem(problem.in_file("memory://kit/bad/SKILL.md"));
        }
        let mut between = Between { sink, fault: self.fault };
        let known = Forgetful { previous, fault: self.fault };
        let previous = PreviousScan::new(&known);
        match self.fault {
            "a cancelled scan goes on" => {
                self.good.scan(&previous, &mut between, &Cancel::default())
            }
            _ => self.good.scan(&previous, &mut between, cancel),
        }
    }

    fn scan_packages(
        &self,
        packages: &[PackagePath],
        previous: &PreviousScan<'_>,
        sink: &mut dyn ScanSink,
        cancel: &Cancel,
    ) -> Result<Coverage, SourceError> {
        let fault = match self.fault {
            "requested packages are forgotten" => return Ok(Coverage::Asked),
            "requested packages have other paths" => "a path is not in its normal form",
            _ => return self.good.scan_packages(packages, previous, sink, cancel),
        };
        let mut between = Between { sink, fault };
        self.good.scan(previous, &mut between, cancel).map(Coverage::Everything)
    }

    fn watch(&self, listener: ChangeListener) -> Result<Option<Watch>, SourceError> {
        *self.listener.lock().expect("no thread panics under the lock") = Some(listener);
        let held = Arc::clone(&self.listener);
        Ok(Some(match self.fault {
            "the listener is kept" => Watch::new(()),
            _ => Watch::new(Keeper(held)),
        }))
    }

    fn list(&self, package: &PackagePath, most: usize) -> Result<Listing, SourceError> {
        let mut listing = self.good.list(package, most)?;
        let add = |listing: &mut Listing, path| {
            let path = ResourcePath::new(path).expect("a path");
            listing.resources.push(Resource { path, bytes: 1 });
            listing.resources.sort();
        };
        match self.fault {
            "a list is not sorted" => listing.resources.reverse(),
            "the skill file is listed" if most > 3 => add(&mut listing, "SKILL.md"),
            "the file of another package is listed" if most > 3 => {
                add(&mut listing, "bet/secret.md");
            }
            "a list is cut silently" => listing.is_complete = true,
            _ => {}
        }
        Ok(listing)
    }

    fn read(
        &self,
        package: &PackagePath,
        resource: &ResourcePath,
        limit: ReadLimit,
    ) -> Result<Vec<u8>, SourceError> {
        match self.fault {
            "a link is followed" if resource.as_str() == "link" => Ok(b"CANARY".to_vec()),
            "a file is cut" => {
                let mut bytes = self.good.read(package, resource, ReadLimit(usize::MAX))?;
                bytes.truncate(limit.0);
                Ok(bytes)
            }
            _ => self.good.read(package, resource, limit),
        }
    }
}
