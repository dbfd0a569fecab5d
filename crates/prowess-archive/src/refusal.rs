//! The error of an archive that is refused.

use std::fmt;

use prowess_text::quoted;

/// The reason why an archive is refused, with the entry that causes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The kind, for programs.
    pub kind: RefusalKind,
    /// The name of the entry as the archive has it; `None` if the whole archive is the cause.
    pub entry: Option<String>,
}

prowess_text::declare_kinds! {
    /// The kinds of [`Refusal`].
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum RefusalKind {
        /// The bytes are neither a gzip, a tar nor a zip file.
        UnknownFormat = "archive-unknown-format",
        /// A header, a checksum or a compressed stream is wrong, or the archive ends too early.
        Damaged = "archive-damaged",
        /// The archive has no file.
        Empty = "archive-empty",
        /// An entry is a symbolic or a hard link.
        Link = "archive-link",
        /// An entry is a device, a FIFO or a socket.
        SpecialFile = "archive-special-file",
        /// A path starts with `/` or with a drive letter.
        Absolute = "archive-absolute-path",
        /// A path contains `..`.
        Escape = "archive-path-escape",
        /// A name is not UTF-8, is too long, has an empty part, a backslash, a control or an
        /// invisible character, or is reserved by an operating system or by git.
        InvalidName = "archive-invalid-name",
        /// A path occurs twice.
        Duplicate = "archive-duplicate",
        /// Two paths are equal if case or the Unicode normal form is ignored, or one is a file and
        /// a directory.
        Clash = "archive-name-clash",
        /// The archive has more entries than the limit.
        TooManyEntries = "archive-too-many-entries",
        /// The archive is larger than the limit, packed or unpacked.
        TooLarge = "archive-too-large",
        /// The unpacked size is too many times the packed size.
        Ratio = "archive-ratio",
        /// A path has more parts than the limit.
        TooDeep = "archive-too-deep",
        /// The archive has bytes that belong to no entry, or that belong to two.
        HiddenData = "archive-hidden-data",
        /// Two descriptions of one entry contradict each other.
        Contradiction = "archive-contradiction",
        /// The permissions have a set-user-id, set-group-id or sticky bit, or deny the owner to
        /// read.
        Mode = "archive-mode",
        /// The archive uses a feature that packages do not need: encryption, sparse files, several
        /// disks, or another compression.
        Unsupported = "archive-unsupported",
    }
}

impl RefusalKind {
    /// Returns the rest of a sentence that starts with the name of the entry.
    pub(crate) fn predicate(self) -> &'static str {
        match self {
            Self::UnknownFormat => "is not a `.tar.gz`, `.tar`, `.zip` or `.skill` file",
            Self::Damaged => "is damaged",
            Self::Empty => "has no file",
            Self::Link => "is a link",
            Self::SpecialFile => "is a device, a FIFO or a socket",
            Self::Absolute => "is an absolute path",
            Self::Escape => "leads out of the archive",
            Self::InvalidName => "is not a name that every file system can store",
            Self::Duplicate => "occurs twice",
            Self::Clash => "is the same file as another entry on some file systems",
            Self::TooManyEntries => "has too many entries",
            Self::TooLarge => "is too large",
            Self::Ratio => "is suspiciously large for its packed size",
            Self::TooDeep => "is in too many directories",
            Self::HiddenData => "has bytes that belong to no entry, or to two",
            Self::Contradiction => "is described in two ways",
            Self::Mode => "has permissions that a package must not have",
            Self::Unsupported => "uses a feature that packages do not need",
        }
    }

    /// Returns the refusal for an entry with this name.
    pub(crate) fn of(self, name: &[u8]) -> Refusal {
        Refusal { kind: self, entry: Some(String::from_utf8_lossy(name).into_owned()) }
    }
}

impl From<RefusalKind> for Refusal {
    fn from(kind: RefusalKind) -> Self {
        Self { kind, entry: None }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.entry {
            Some(entry) => formatter.write_str(&quoted(entry))?,
            None => formatter.write_str("the archive")?,
        }
        write!(formatter, " {}", self.kind.predicate())
    }
}

impl std::error::Error for Refusal {}
