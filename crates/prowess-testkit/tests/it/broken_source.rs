//! Sources with one fault each, so that every check of the kit is seen to fail.

use std::sync::{Arc, Mutex};

use prowess_core::{
    Cancel, ChangeListener, Code, Coverage, Diagnostic, Found, KnownPackages, Listing,
    MemorySource, PackagePath, PreviousScan, ReadFurther, ReadLimit, Resource, ResourcePath,
    ScanSink, ScanSummary, Severity, SkillSource, SourceChange, SourceError, SourceErrorKind,
    Stamp, Watch,
};

/// The fault of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    None,
    ReportsTwice,
    Forgets,
    ReportsAnOddPath,
    PrefersTheLowerCase,
    KeepsSilent,
    FailsAsAWhole,
    ReadsWhatIsKnown,
    TakesAllForKnown,
    StopsAtTheHead,
    FollowsTheWayOut,
    ListsTheNeighbour,
    CutsWhatIsTooLong,
    ListsBackwards,
    ListsTheSkillFile,
    HidesThatItIsCut,
    GoesOnAfterCancel,
    ForgetsWhenAskedForAFew,
    ReportsOthersAsAsked,
    SaysNothingOfChanges,
    KeepsTheListener,
}

impl Fault {
    pub(crate) const ALL: [Self; 20] = [
        Self::ReportsTwice,
        Self::Forgets,
        Self::ReportsAnOddPath,
        Self::PrefersTheLowerCase,
        Self::KeepsSilent,
        Self::FailsAsAWhole,
        Self::ReadsWhatIsKnown,
        Self::TakesAllForKnown,
        Self::StopsAtTheHead,
        Self::FollowsTheWayOut,
        Self::ListsTheNeighbour,
        Self::CutsWhatIsTooLong,
        Self::ListsBackwards,
        Self::ListsTheSkillFile,
        Self::HidesThatItIsCut,
        Self::GoesOnAfterCancel,
        Self::ForgetsWhenAskedForAFew,
        Self::ReportsOthersAsAsked,
        Self::SaysNothingOfChanges,
        Self::KeepsTheListener,
    ];
}

pub(crate) struct BrokenSource {
    good: MemorySource,
    fault: Fault,
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
    pub(crate) fn new(good: MemorySource, fault: Fault) -> Self {
        Self { good, fault, has_unreadable: false, listener: Arc::default() }
    }

    pub(crate) fn with_unreadable(good: MemorySource, fault: Fault) -> Self {
        Self { has_unreadable: true, ..Self::new(good, fault) }
    }

    /// Behaves as if `package` had been written to.
    pub(crate) fn change(&self, package: &str) {
        let listener = self.listener.lock().expect("no thread panics under the lock");
        let package = PackagePath::new(package).expect("a path");
        if let (Some(listener), true) = (&*listener, self.fault != Fault::SaysNothingOfChanges) {
            listener(SourceChange::Packages(vec![package]));
        }
    }
}

/// Knows what the previous scan found, with the fault.
struct Forgetful<'a> {
    previous: &'a PreviousScan<'a>,
    fault: Fault,
}

impl KnownPackages for Forgetful<'_> {
    fn stamp(&self, package: &str) -> Option<Stamp> {
        let known = self.previous.stamp(package);
        match self.fault {
            Fault::ReadsWhatIsKnown => None,
            Fault::TakesAllForKnown => known.map(|_| Stamp::exact(1)),
            _ => known,
        }
    }
}

/// Passes on what a good source reports, with the fault.
struct Between<'a> {
    sink: &'a mut dyn ScanSink,
    fault: Fault,
}

impl ScanSink for Between<'_> {
    fn unchanged(&mut self, package: &str) {
        self.sink.unchanged(package);
    }

    fn found(&mut self, found: Found<'_>) -> ReadFurther {
        match self.fault {
            Fault::Forgets if found.package == "lower" => return ReadFurther::No,
            Fault::ReportsTwice => drop(self.sink.found(found)),
            Fault::ReportsAnOddPath => {
                let package = format!("./{}", found.package);
                return self.sink.found(Found { package: &package, ..found });
            }
            Fault::PrefersTheLowerCase if found.package == "a" => {
                return self.sink.found(Found { file: "skill.md", head: b"2", ..found });
            }
            Fault::StopsAtTheHead if found.head.len() > 4096 => {
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
    fn name(&self) -> &str {
        self.good.name()
    }

    fn root(&self) -> &str {
        self.good.root()
    }

    fn scan(
        &self,
        previous: &PreviousScan<'_>,
        sink: &mut dyn ScanSink,
        cancel: &Cancel,
    ) -> Result<ScanSummary, SourceError> {
        if self.has_unreadable && self.fault == Fault::FailsAsAWhole {
            return Err(SourceError::new(SourceErrorKind::Unavailable, "one file is bad"));
        }
        if self.has_unreadable && self.fault != Fault::KeepsSilent {
            let code = Code::new("file-unreadable");
            let problem = Diagnostic::new(code, Severity::Error, "it cannot be read", "fix it");
            sink.problem(problem.in_file("memory://kit/bad/SKILL.md"));
        }
        let mut between = Between { sink, fault: self.fault };
        let known = Forgetful { previous, fault: self.fault };
        let previous = PreviousScan::new(&known);
        match self.fault {
            Fault::GoesOnAfterCancel => self.good.scan(&previous, &mut between, &Cancel::default()),
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
            Fault::ForgetsWhenAskedForAFew => return Ok(Coverage::Asked),
            Fault::ReportsOthersAsAsked => Fault::ReportsAnOddPath,
            _ => return self.good.scan_packages(packages, previous, sink, cancel),
        };
        let mut between = Between { sink, fault };
        self.good.scan(previous, &mut between, cancel).map(Coverage::Everything)
    }

    fn watch(&self, listener: ChangeListener) -> Result<Option<Watch>, SourceError> {
        *self.listener.lock().expect("no thread panics under the lock") = Some(listener);
        let held = Arc::clone(&self.listener);
        Ok(Some(match self.fault {
            Fault::KeepsTheListener => Watch::new(()),
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
            Fault::ListsBackwards => listing.resources.reverse(),
            Fault::ListsTheSkillFile if most > 3 => add(&mut listing, "SKILL.md"),
            Fault::ListsTheNeighbour if most > 3 => add(&mut listing, "bet/secret.md"),
            Fault::HidesThatItIsCut => listing.is_complete = true,
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
            Fault::FollowsTheWayOut if resource.as_str() == "link" => Ok(b"CANARY".to_vec()),
            Fault::CutsWhatIsTooLong => {
                let mut bytes = self.good.read(package, resource, ReadLimit(usize::MAX))?;
                bytes.truncate(limit.0);
                Ok(bytes)
            }
            _ => self.good.read(package, resource, limit),
        }
    }
}
