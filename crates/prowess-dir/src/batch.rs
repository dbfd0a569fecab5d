//! Paths of equally named files in many subdirectories of one directory.

use std::ffi::CStr;

use memchr::memchr2;

use crate::{Entry, Error, ErrorKind, RelativePath, Result};

/// Paths `NAME/FILE` of listed names, in the form that the kernel takes.
///
/// A listed name has no slash and no NUL, and is neither `.` nor `..`: joined with a checked file
/// name it cannot lead out of the directory, so its text is not checked again.
#[derive(Clone, Debug)]
pub struct PathBatch {
    /// The end of each path: slash, file name and NUL.
    end: Box<[u8]>,
    bytes: Vec<u8>,
    places: Vec<Place>,
}

/// The start of a path, in full and relative to the listed directory, and the start of the next
/// one.
#[derive(Clone, Copy, Debug)]
struct Place {
    shown: usize,
    name: usize,
    next: usize,
}

/// One path of a [`PathBatch`].
#[derive(Clone, Copy, Debug)]
pub struct BatchedPath<'b> {
    /// The subdirectory, with its parent's path for display.
    pub directory: &'b str,
    /// The file in it, relative to the listed directory.
    pub file: RelativePath<'b>,
}

impl PathBatch {
    /// Creates an empty batch of paths to files of this name.
    ///
    /// # Errors
    ///
    /// Returns an error if the name is not a valid file name.
    pub fn new(file: &str) -> Result<Self> {
        if matches!(file, "" | "." | "..") || file.contains(['/', '\0']) {
            return Err(Error::new(ErrorKind::Malformed, file));
        }
        let end = ["/", file, "\0"].concat().into_bytes().into();
        Ok(Self { end, bytes: Vec::new(), places: Vec::new() })
    }

    /// Adds the path of the file in a listed directory. `parent` is the path to display before its
    /// name.
    pub fn push(&mut self, parent: &str, entry: &Entry<'_>) {
        self.add(parent, entry.name_bytes());
    }

    /// Adds the path of the file in a directory of this name, from an earlier listing.
    ///
    /// # Errors
    ///
    /// Returns an error if the name is not a valid directory name.
    pub fn push_name(&mut self, name: &str) -> Result<()> {
        if matches!(name, "" | "." | "..") || memchr2(b'/', b'\0', name.as_bytes()).is_some() {
            return Err(Error::new(ErrorKind::Malformed, name));
        }
        self.add("", name.as_bytes());
        Ok(())
    }

    fn add(&mut self, parent: &str, name: &[u8]) {
        let shown = self.bytes.len();
        if !parent.is_empty() {
            self.bytes.extend_from_slice(parent.as_bytes());
        }
        let start = self.bytes.len();
        self.bytes.extend_from_slice(name);
        self.bytes.extend_from_slice(&self.end);
        self.places.push(Place { shown, name: start, next: self.bytes.len() });
    }

    /// Returns the number of paths.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Returns whether there are no paths.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Removes all paths.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.places.clear();
    }

    /// Iterates over the paths; `None` if a name is not UTF-8.
    pub fn paths(&self) -> Option<impl Iterator<Item = BatchedPath<'_>>> {
        let text = std::str::from_utf8(&self.bytes).ok()?;
        Some(self.places.iter().map(move |place| {
            let directory = &text[place.shown..place.next - self.end.len()];
            let file = CStr::from_bytes_with_nul(&self.bytes[place.name..place.next])
                .expect("names of listings and of files have no NUL");
            BatchedPath { directory, file: RelativePath::listed(file) }
        }))
    }
}
