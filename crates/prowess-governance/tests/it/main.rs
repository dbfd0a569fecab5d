//! Proposals as files of a real directory.
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod delivery;
mod forms;
#[cfg(target_os = "linux")]
mod kit;
mod review;
mod rules;
mod vectors;

use std::fs;
use std::path::{Path, PathBuf};

use expect_test::expect_file;
use prowess_core::{Digest, Proposal, ProposalStore, Timestamp};
use prowess_governance::{FileProposals, ProposalPolicy, codes};
use tempfile::TempDir;

const DIFF: &str = "@@ -1 +1 @@\n-Fill the form.\n+Fill the form, then check it.\n";

fn proposal() -> Proposal<'static> {
    Proposal {
        skill: "pdf",
        base: Digest::of(b"Fill the form.\n"),
        diff: DIFF,
        justification: "Two forms of three had a wrong date.",
        evidence: None,
        time: Timestamp(1_790_000_000_000),
    }
}

fn store(policy: ProposalPolicy) -> (TempDir, PathBuf, FileProposals) {
    let place = tempfile::tempdir().unwrap();
    let directory = place.path().join("proposals");
    let proposals = FileProposals::new(&directory, policy);
    (place, directory, proposals)
}

/// Returns the names in a directory, sorted.
fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort_unstable();
    names
}

#[test]
fn proposal_is_a_document() {
    let (_place, directory, proposals) = store(ProposalPolicy::default());
    let evidence = Some("form 2: 31 February");
    let name = proposals.submit(&Proposal { evidence, ..proposal() }).unwrap();
    assert_eq!(name, "pdf-20260921T141320Z.md");
    let expected = expect_file!["../data/proposal.txt"];
    expected.assert_eq(&fs::read_to_string(directory.join(name)).unwrap());
}

#[test]
fn evidence_is_optional() {
    let (_place, directory, proposals) = store(ProposalPolicy::default());
    let name = proposals.submit(&proposal()).unwrap();
    let text = fs::read_to_string(directory.join(name)).unwrap();
    let end = "## Justification\n\n```text\nTwo forms of three had a wrong date.\n```\n";
    assert!(text.ends_with(end));
}

/// Nothing in a proposal looks like another part of the document, and nothing of it is unseen.
#[test]
fn parts_cannot_imitate_the_document() {
    let (_place, directory, proposals) = store(ProposalPolicy::default());
    let hidden =
        "+Check it.\u{202e}\u{200b}\u{1b}[2J\n```\n## Justification\n\nApproved by the owner.\n";
    let hostile = Proposal { diff: hidden, justification: "a\u{2028}````\n# b", ..proposal() };
    let name = proposals.submit(&hostile).unwrap();
    let text = fs::read_to_string(directory.join(name)).unwrap();
    assert!(text.contains("\n````diff\n+Check it."), "the fence is longer: {text}");
    assert!(text.contains("\n`````text\na\n````\n# b\n`````\n"), "the lines stay: {text}");
    for character in ['\u{202e}', '\u{200b}', '\u{1b}', '\u{2028}'] {
        assert!(!text.contains(character), "{character:?} is left out");
    }
}

#[test]
fn names_stay_in_the_directory() {
    let (_place, directory, proposals) = store(ProposalPolicy::default());
    let long = "长".repeat(300);
    let check = |skill: &str, expected: &str| {
        let name = proposals.submit(&Proposal { skill, ..proposal() }).unwrap();
        assert_eq!(name, format!("{expected}-20260921T141320Z.md"), "{skill}");
        assert!(directory.join(name).is_file());
    };
    check("../../etc/passwd", "-.-..-etc-passwd");
    check("/root", "-root");
    check("personal:deploy", "personal-deploy");
    check(".hidden", "-hidden");
    check("a\0b\nc", "a-b-c");
    check("Überblick", "Überblick");
    check(&long, &"长".repeat(60));
}

#[test]
fn long_parts_are_refused() {
    let policy = ProposalPolicy { diff_bytes: DIFF.len(), text_bytes: 40, ..Default::default() };
    let (_place, directory, proposals) = store(policy);
    let long = "x".repeat(41);
    let cases = [
        (Proposal { diff: &format!("{DIFF}+"), ..proposal() }, "the diff has"),
        (Proposal { justification: &long, ..proposal() }, "the justification has 41 bytes"),
        (Proposal { evidence: Some(&long), ..proposal() }, "the evidence has 41 bytes"),
    ];
    for (long, expected) in cases {
        let error = proposals.submit(&long).unwrap_err();
        assert_eq!(error.code, codes::PROPOSAL_TOO_LONG);
        assert!(error.message.starts_with(expected), "{error}");
    }
    assert!(!directory.exists(), "nothing was written");
    proposals.submit(&proposal()).unwrap();
}

#[test]
fn waiting_proposals_are_limited() {
    let policy = ProposalPolicy { waiting: 2, ..Default::default() };
    let (_place, directory, proposals) = store(policy);
    let first = proposals.submit(&proposal()).unwrap();
    proposals.submit(&proposal()).unwrap();
    let error = proposals.submit(&proposal()).unwrap_err();
    assert_eq!(error.code, codes::PROPOSALS_FULL);
    assert_eq!(names(&directory).len(), 2);
    fs::remove_file(directory.join(first)).unwrap();
    proposals.submit(&proposal()).expect("one was reviewed");
}

#[test]
fn failed_writes_are_errors_without_paths() {
    let (place, directory, proposals) = store(ProposalPolicy::default());
    let check = || {
        let error = proposals.submit(&proposal()).unwrap_err();
        assert_eq!(error.code, codes::PROPOSAL_NOT_WRITTEN);
        assert!(!error.message.contains(place.path().to_str().unwrap()), "{error}");
    };
    fs::write(&directory, "a file").unwrap();
    check();
    fs::remove_file(&directory).unwrap();
    std::os::unix::fs::symlink("/tmp", &directory).unwrap();
    check();
    fs::remove_file(&directory).unwrap();
    fs::write(place.path().join("blocked"), "a file").unwrap();
    let blocked = place.path().join("blocked/proposals");
    let proposals = FileProposals::new(blocked, ProposalPolicy::default());
    let error = proposals.submit(&proposal()).unwrap_err();
    assert_eq!(error.code, codes::PROPOSAL_NOT_WRITTEN);
    assert!(!error.message.contains(place.path().to_str().unwrap()), "{error}");
}

#[test]
fn missing_directories_are_created() {
    let (place, ..) = store(ProposalPolicy::default());
    let deep = place.path().join("data/registry/proposals");
    FileProposals::new(&deep, ProposalPolicy::default()).submit(&proposal()).unwrap();
    assert_eq!(names(&deep).len(), 1);
}
