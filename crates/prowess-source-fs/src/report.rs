//! Reports what was found out about a `SKILL.md`.

use prowess_core::{Found, ReadFurther, ScanSink};
use prowess_dir::{Dir, Error, ErrorKind, Links};

use crate::ask::{Answer, Asker, Beginning, Origin, Question, Way};
use crate::package::HEAD_BYTES;

/// As much as a sink may ask for, which is also the default of a read.
const MAX_FILE_BYTES: usize = 2 * 1024 * 1024;

/// Why a `SKILL.md` was not reported.
pub(crate) enum Fault {
    /// There is none.
    Absent,
    /// Its directory may not be entered.
    Closed(Error),
    /// It is there and cannot be read.
    Unreadable(Error),
}

/// Reports to a sink, and asks further where that takes it.
pub(crate) struct Reporter<'a> {
    pub(crate) sink: &'a mut dyn ScanSink,
    pub(crate) asker: Asker,
}

impl Reporter<'_> {
    /// Reports what was answered about a `SKILL.md`, whose beginning is in `head`.
    pub(crate) fn report(
        &mut self,
        question: &Question<'_>,
        way: Way<'_>,
        answer: Answer,
        head: &[u8],
    ) -> Result<(), Fault> {
        match answer {
            Answer::Unchanged => self.sink.unchanged(question.package),
            Answer::Read(beginning) => return self.found(question, way, beginning, head),
            Answer::Unreadable(error) => return Err(Fault::Unreadable(error)),
            Answer::NotOpened(error) => return self.not_opened(question, way, error),
        }
        Ok(())
    }

    fn not_opened(
        &mut self,
        question: &Question<'_>,
        way: Way<'_>,
        error: Error,
    ) -> Result<(), Fault> {
        match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => Err(Fault::Absent),
            ErrorKind::Link if way.package.is_empty() => self.linked(question, way.directory),
            ErrorKind::Link => {
                // The directory has become a link since its name was read: it is none any more.
                let package = way.directory.open_dir(way.package, Links::Refuse);
                self.linked(
                    question,
                    &package.map_err(|error| match error.kind() {
                        ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::Link => {
                            Fault::Absent
                        }
                        _ => Fault::Closed(error),
                    })?,
                )
            }
            ErrorKind::Denied | ErrorKind::Unavailable => Err(unopened(way, error)),
            _ => Err(Fault::Unreadable(error)),
        }
    }

    /// A `SKILL.md` that is a link is followed inside its package.
    fn linked(&mut self, question: &Question<'_>, package: &Dir) -> Result<(), Fault> {
        // The directory says nothing of the file that the link leads to.
        let question = Question { origin: Origin::Opened, ..*question };
        let path = question.file.into();
        let way = Way { directory: package, package: "", path, links: Links::FollowInside };
        let mut head = [0; HEAD_BYTES];
        match self.asker.ask(&question, way, &mut head) {
            Answer::NotOpened(error) => Err(Fault::Unreadable(error)),
            answer => self.report(&question, way, answer, &head),
        }
    }

    /// Reports a file, and more of it as long as the sink asks.
    fn found(
        &mut self,
        question: &Question<'_>,
        way: Way<'_>,
        mut beginning: Beginning,
        head: &[u8],
    ) -> Result<(), Fault> {
        let mut wanted = self.report_head(question, beginning, head);
        let mut asked = HEAD_BYTES;
        while let Some(bytes) = wanted.filter(|_| asked <= MAX_FILE_BYTES) {
            asked = bytes.max(2 * asked).min(MAX_FILE_BYTES + 1);
            let mut head = vec![0; asked];
            let read = self.asker.read_again(question, way, beginning, &mut head);
            beginning = read.map_err(Fault::Unreadable)?;
            wanted = self.report_head(question, beginning, &head);
        }
        Ok(())
    }

    /// Reports as much of a file as was read. How much more is wanted of it, if there is more.
    fn report_head(
        &mut self,
        question: &Question<'_>,
        beginning: Beginning,
        head: &[u8],
    ) -> Option<usize> {
        let Beginning { stamp, size, head: read } = beginning;
        let answer = self.sink.found(Found {
            package: question.package,
            file: question.file,
            stamp,
            size,
            head: &head[..read.length],
            is_whole_file: read.is_whole_file,
        });
        match answer {
            ReadFurther::UpTo(bytes) if !read.is_whole_file => Some(bytes),
            _ => None,
        }
    }
}

/// What a file is that the system does not open: one may know that it is there all the same, or that it is
/// not. To ask takes no descriptor, of which there may be none left.
fn unopened(way: Way<'_>, error: Error) -> Fault {
    match way.directory.stat_unconfined(way.path).map_err(|of_stat| of_stat.kind()) {
        Ok(_) => Fault::Unreadable(error),
        Err(ErrorKind::NotFound | ErrorKind::NotADirectory) => Fault::Absent,
        Err(_) => Fault::Closed(error),
    }
}
