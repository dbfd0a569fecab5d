//! The digest of a folder, by the definition of the other tool, in the language that it runs in.

use std::process::Command;

use crate::lock_files::{FOLDER_DIGEST, machine_with_many_files};

/// Prints the digest of a folder.
const FOLDER_HASH: &str = include_str!("../../data/lock-files-folder-hash.txt");

#[test]
fn definition_of_the_other_tool_has_this_digest() {
    let machine = machine_with_many_files();
    let node = Command::new("node").args(["-e", FOLDER_HASH, &machine.path("skills/pdf")]).output();
    let digest = String::from_utf8(node.expect("`node` is installed").stdout).unwrap();
    assert_eq!(digest, FOLDER_DIGEST);
}
