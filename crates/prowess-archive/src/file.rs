//! A file of an archive.

/// A file of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// The path, relative to the root of the archive: parts separated by `/`, none of them `.` or
    /// `..`.
    pub path: String,
    /// Whether someone may execute the file. No other permission is kept.
    pub is_executable: bool,
    /// The whole content.
    pub content: Vec<u8>,
}

impl File {
    /// Creates a file that is not executable.
    pub fn new(path: impl Into<String>, content: impl Into<Vec<u8>>) -> Self {
        Self { path: path.into(), is_executable: false, content: content.into() }
    }

    /// Returns the file as an executable one.
    #[must_use]
    pub fn executable(self) -> Self {
        Self { is_executable: true, ..self }
    }
}
