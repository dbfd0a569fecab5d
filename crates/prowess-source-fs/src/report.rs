//! Reports the result of probing a `SKILL.md`.

use prowess_core::{Found, PreviousScan, ReadFurther, ScanSink};
use prowess_dir::{Dir, Error, ErrorKind, Links};

use crate::admission::join;
use crate::probe::{FileProber, HEAD_BYTES, MAX_FILE_BYTES, Saved};
use crate::probe_request::{FileLocation, Origin, Prefix, ProbeRequest, ProbeResult};

/// The reason why a `SKILL.md` was not reported.
pub(crate) enum Fault {
    /// The file does not exist.
    Absent,
    /// Its directory may not be entered.
    Closed(Error),
    /// The file exists and cannot be read.
    Unreadable(Error),
}

/// Reports to a sink, and reads further if the sink requests it.
pub(crate) struct Reporter<'a> {
    pub(crate) previous: PreviousScan<'a>,
    pub(crate) sink: &'a mut dyn ScanSink,
    pub(crate) files: FileProber,
}

impl Reporter<'_> {
    /// Reports the result of probing a `SKILL.md`, whose first bytes are in `head`.
    pub(crate) fn report(
        &mut self,
        request: &ProbeRequest<'_>,
        location: FileLocation<'_>,
        result: ProbeResult,
        head: &[u8],
    ) -> Result<(), Fault> {
        match result {
            ProbeResult::Unchanged => self.sink.unchanged(request.package),
            ProbeResult::Read(beginning) => return self.found(request, location, beginning, head),
            ProbeResult::Unreadable(error) => return Err(Fault::Unreadable(error)),
            ProbeResult::NotOpened(error) => return self.not_opened(request, location, error),
        }
        Ok(())
    }

    fn not_opened(
        &mut self,
        request: &ProbeRequest<'_>,
        location: FileLocation<'_>,
        error: Error,
    ) -> Result<(), Fault> {
        match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => Err(Fault::Absent),
            ErrorKind::Link if location.package.is_empty() => {
                self.linked(request, location.directory)
            }
            ErrorKind::Link => {
                // The directory was replaced by a link since its name was read.
                let package = location.directory.open_dir(location.package, Links::Refuse);
                self.linked(
                    request,
                    &package.map_err(|error| match error.kind() {
                        ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::Link => {
                            Fault::Absent
                        }
                        _ => Fault::Closed(error),
                    })?,
                )
            }
            ErrorKind::Denied | ErrorKind::Unavailable => Err(unopened(location, error)),
            _ => Err(Fault::Unreadable(error)),
        }
    }

    /// A `SKILL.md` that is a link is followed inside its package.
    fn linked(&mut self, request: &ProbeRequest<'_>, package: &Dir) -> Result<(), Fault> {
        // The identity of the directory does not cover the target of a link.
        let request = ProbeRequest { origin: Origin::Opened, ..*request };
        let path = request.file.into();
        let location =
            FileLocation { directory: package, package: "", path, links: Links::FollowInside };
        let mut head = [0; HEAD_BYTES];
        match self.files.probe(&request, location, &mut head) {
            ProbeResult::NotOpened(error) => Err(Fault::Unreadable(error)),
            result => self.report(&request, location, result, &head),
        }
    }

    /// Reports a file, and more of it as long as the sink asks.
    fn found(
        &mut self,
        request: &ProbeRequest<'_>,
        location: FileLocation<'_>,
        mut beginning: Prefix,
        head: &[u8],
    ) -> Result<(), Fault> {
        let again;
        let head = match self.files.when_still(request, location, beginning, head) {
            Saved::Again(prefix, head) => {
                (beginning, again) = (prefix, head);
                &*again
            }
            Saved::Never if request.known.is_some() => {
                self.sink.unchanged(request.package);
                return Ok(());
            }
            Saved::Whole | Saved::Never => head,
        };
        let mut wanted = self.report_head(request, beginning, head);
        let mut asked = HEAD_BYTES;
        while asked <= MAX_FILE_BYTES {
            let ReadFurther::UpTo(bytes) = wanted else { break };
            asked = bytes.max(2 * asked).min(MAX_FILE_BYTES + 1);
            let mut head = vec![0; asked];
            let read = self.files.read_again(request, location, beginning, &mut head);
            beginning = read.map_err(Fault::Unreadable)?.0;
            wanted = self.report_head(request, beginning, &head);
        }
        Ok(())
    }

    /// Reports as much of a file as was read. Returns what else the sink wants, if the file has it.
    fn report_head(
        &mut self,
        request: &ProbeRequest<'_>,
        beginning: Prefix,
        head: &[u8],
    ) -> ReadFurther {
        let Prefix { stamp, size, head: read } = beginning;
        if let Some(kept) = self.files.kept.as_ref().filter(|_| read.is_whole_file) {
            kept.keep_text(join(request.package, request.file), &head[..read.length]);
        }
        let answer = self.sink.found(Found {
            package: request.package,
            file: request.file,
            stamp,
            size: Some(size),
            head: &head[..read.length],
            is_whole_file: read.is_whole_file,
        });
        if read.is_whole_file { ReadFurther::No } else { answer }
    }
}

/// Determines the fault of a file that cannot be opened: it may still be possible to find out
/// whether it exists. This needs no descriptor, of which none may be left.
fn unopened(location: FileLocation<'_>, error: Error) -> Fault {
    match location.directory.stat_unconfined(location.path).map_err(|of_stat| of_stat.kind()) {
        Ok(_) => Fault::Unreadable(error),
        Err(ErrorKind::NotFound | ErrorKind::NotADirectory) => Fault::Absent,
        Err(_) => Fault::Closed(error),
    }
}
