//! The digest of a folder in `skills-lock.json`.

use std::cmp::Ordering;

use prowess_core::Digest;

/// The order of characters other than letters, by the Unicode Collation Algorithm as browsers and
/// Node.js apply it.
const BEFORE_LETTERS: &str = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789";

/// The folders that are left out.
const LEFT_OUT: [&str; 2] = [".git", "node_modules"];

/// Returns the digest of files by path, as `skills-lock.json` has it: of each path and its content,
/// in the order of `String.localeCompare`.
///
/// Paths with characters beyond ASCII are compared by their code points, so the digest of a folder
/// with such paths may differ.
pub fn folder_hash(files: &[(&str, &[u8])]) -> Digest {
    let mut files: Vec<_> = files.iter().filter(|(path, _)| !is_left_out(path)).collect();
    files.sort_by(|one, other| collate(one.0, other.0));
    let mut all = Vec::new();
    for (path, content) in files {
        all.extend_from_slice(path.as_bytes());
        all.extend_from_slice(content);
    }
    Digest::of(&all)
}

fn is_left_out(path: &str) -> bool {
    let mut folders: Vec<_> = path.split('/').collect();
    folders.pop();
    folders.iter().any(|folder| LEFT_OUT.contains(folder))
}

/// Compares letters without their case first, and then by it: lower before upper.
fn collate(one: &str, other: &str) -> Ordering {
    let primary = one.chars().map(weight).cmp(other.chars().map(weight));
    let is_upper = |c: char| c.is_ascii_uppercase();
    primary.then_with(|| one.chars().map(is_upper).cmp(other.chars().map(is_upper)))
}

fn weight(c: char) -> u32 {
    let letters = u32::try_from(BEFORE_LETTERS.len()).unwrap_or(u32::MAX);
    match BEFORE_LETTERS.find(c) {
        Some(at) => u32::try_from(at).unwrap_or(u32::MAX),
        None => letters + u32::from(c.to_ascii_lowercase()),
    }
}
