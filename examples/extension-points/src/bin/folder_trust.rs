//! A `FolderTrust` of the host: it decides whether the skills of a project are offered.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)]

use std::path::{Path, PathBuf};

use prowess::{FolderAnswer, FolderTrust};

/// Trusts the folders below one, such as the directory of a company's own repositories.
struct Below(PathBuf);

impl FolderTrust for Below {
    fn answer(&self, folder: &Path) -> FolderAnswer {
        if folder.starts_with(&self.0) { FolderAnswer::Trusted } else { FolderAnswer::NotTrusted }
    }
}

fn main() {
    let trust = Below(PathBuf::from("/srv/ours"));
    for folder in ["/srv/ours/website", "/srv/theirs", "/srv/ours-copied"] {
        println!("{folder}: {:?}", trust.answer(Path::new(folder)));
    }
}
