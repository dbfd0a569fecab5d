//! The files that proposals were made for, next to them: to merge a change with what the files are
//! later, and to show what has changed since.

use std::collections::{BTreeMap, BTreeSet};

use prowess_core::{Digest, FileMode, PackageDigest, PackageFile, PackageFiles};
use prowess_dir::{Dir, Links, Permissions};

use crate::{FileProposals, StoredProposal, package_diff};

/// The directory of the files, by their digests, and of lists of them, by those of packages.
const BASE: &str = "base";

/// The maximum size of a file, in bytes.
const MOST_BYTES: usize = 256 * 1024;

/// The maximum size of a list, in bytes: that of the most files that a package may have.
const MOST_OF_LIST: usize = 1024 * 1024;

/// The maximum number of files that the proposal does not change, and of their bytes together:
/// they are kept for the reviewer alone.
const MOST_OTHERS: usize = 50;
const MOST_OTHER_BYTES: usize = 256 * 1024;

/// The files of a package: their digests, and whether they are executable.
type List = BTreeMap<String, (Digest, bool)>;

impl FileProposals {
    /// Keeps the files that a proposal was made for. Without one, fewer changes can be merged.
    pub(crate) fn keep_base(
        &self,
        base: &BTreeMap<String, Digest>,
        package: &Digest,
        files: &PackageFiles,
    ) {
        let Ok(directory) = self.open_own(BASE) else { return };
        let put = |digest: &Digest, content: &[u8]| {
            let name = hex(digest);
            let temporary = format!(".{name}.tmp");
            let _ = directory.put_file(&name, &temporary, content, Permissions::Private);
        };
        let entry = |(path, file): (&String, &PackageFile)| {
            (path.clone(), (Digest::of(&file.content), file.is_executable))
        };
        let list: List = files.iter().map(entry).collect();
        put(package, &serde_json::to_vec(&list).unwrap_or_default());
        let (mut others, mut left) = (MOST_OTHERS, MOST_OTHER_BYTES);
        for (path, file) in files {
            let size = file.content.len();
            if !base.contains_key(path) {
                if others == 0 || size > left {
                    continue;
                }
                others -= 1;
                left -= size;
            }
            if size <= MOST_BYTES {
                put(&list[path].0, &file.content);
            }
        }
    }

    /// Removes the files that a decided proposal was made for, unless another one needs them.
    pub(crate) fn forget(&self, directory: &Dir, decided: &StoredProposal) {
        let Ok(base) = directory.open_dir(BASE, Links::Refuse) else { return };
        let kept = |proposal: &StoredProposal| -> BTreeSet<Digest> {
            let listed = list(&base, proposal).unwrap_or_default().into_values();
            let listed = listed.map(|(digest, _)| digest).chain(proposal.base.values().copied());
            listed.chain(proposal.package.as_ref().map(|package| package.digest)).collect()
        };
        let waiting: Vec<_> = self.waiting().unwrap_or_default().into_iter().flatten().collect();
        let needed: BTreeSet<_> = waiting.iter().flat_map(kept).collect();
        for digest in kept(decided).difference(&needed) {
            let _ = base.remove_tree(&hex(digest));
        }
    }

    /// Returns the changes of a package since a proposal was made for it, as a diff. Of a file
    /// whose contents were not kept, it says only that it differs.
    pub fn changes_since(&self, proposal: &StoredProposal, files: &PackageFiles) -> String {
        let directory = Dir::open(self.directory.join(BASE)).ok();
        let list = directory.as_ref().and_then(|directory| list(directory, proposal));
        // A proposal of an older version has no list.
        let Some((directory, list)) = directory.zip(list) else { return String::new() };
        let new = files.iter().filter(|(path, _)| !list.contains_key(*path));
        let (mut before, mut now) = (PackageFiles::new(), PackageFiles::new());
        let mut unknown = String::new();
        for (path, (digest, is_executable)) in &list {
            let is_executable = *is_executable;
            let file = files.get(path);
            let same = file.filter(|file| Digest::of(&file.content) == *digest);
            if same.is_some_and(|file| file.is_executable == is_executable) {
                continue;
            }
            let content = same.map(|file| file.content.clone());
            match content.or_else(|| kept(&directory, digest)) {
                Some(content) => {
                    before.insert(path.clone(), PackageFile { content, is_executable });
                    now.extend(file.map(|file| (path.clone(), file.clone())));
                }
                None => unknown += &format!("Files a/{path} and b/{path} differ\n"),
            }
        }
        now.extend(new.map(|(path, file)| (path.clone(), file.clone())));
        package_diff(&before, &now) + &unknown
    }

    /// Adds the files that a proposal changes to it, as far as they are kept.
    pub(crate) fn with_originals(directory: &Dir, proposal: &mut StoredProposal) {
        let Ok(base) = directory.open_dir(BASE, Links::Refuse) else { return };
        for (path, digest) in &proposal.base {
            let kept = kept(&base, digest).map(|kept| (path.clone(), kept));
            proposal.originals.extend(kept);
        }
    }
}

/// Returns a file that is kept.
fn kept(base: &Dir, digest: &Digest) -> Option<Vec<u8>> {
    base.read(&hex(digest), MOST_BYTES).ok().filter(|kept| Digest::of(kept) == *digest)
}

/// Returns the files of the package that a proposal was made for, if they are listed.
fn list(base: &Dir, proposal: &StoredProposal) -> Option<List> {
    let package = proposal.package.as_ref()?.digest;
    let list: List = serde_json::from_slice(&base.read(&hex(&package), MOST_OF_LIST).ok()?).ok()?;
    let mut digest = PackageDigest::default();
    for (path, (content, is_executable)) in &list {
        let mode = if *is_executable { FileMode::Executable } else { FileMode::Regular };
        digest.add(mode, path, *content);
    }
    (digest.finish() == package).then_some(list)
}

fn hex(digest: &Digest) -> String {
    digest.to_string().trim_start_matches("sha256:").to_owned()
}
