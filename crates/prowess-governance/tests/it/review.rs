//! Proposals are compared, read back, decided and applied.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::{Arc, Mutex};

use prowess_core::{
    Actor, AuditError, AuditEvent, AuditPolicy, AuditSink, Catalog, Diagnostic, Digest,
    KeptProposal, PackageFiles, Proposal, ProposalError, ProposalStore, ProposedPackage,
    ReviewStep, RuntimeEvent, Severity, Timestamp,
};
use prowess_governance::{
    CheckedPackage, FileProposals, ProposalPolicy, Review, ReviewError, SkillPackage,
    StoredProposal, codes, package_diff, package_digest, review_codes,
};
use prowess_testkit::Tree;

const PDF: &str = include_str!("../data/pdf.txt");

/// A skill in a directory, and its proposals.
pub(crate) struct Place {
    pub(crate) tree: Tree,
    pub(crate) proposals: FileProposals,
    /// The session in which agents propose.
    pub(crate) session: Option<&'static str>,
}

impl Place {
    pub(crate) fn new() -> Self {
        let tree = Tree::new(PDF);
        let policy = ProposalPolicy { reviewers: vec!["reviewer".into()], ..Default::default() };
        let proposals = FileProposals::new(tree.join("proposals"), policy);
        Self { tree, proposals, session: None }
    }

    pub(crate) fn package(&self) -> SkillPackage {
        SkillPackage::new(&self.tree.join("skills/pdf")).unwrap()
    }

    pub(crate) fn files(&self) -> PackageFiles {
        self.package().files().unwrap()
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.tree.join("skills/pdf").join(path)).unwrap()
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        fs::write(self.tree.join("skills/pdf").join(path), text).unwrap();
    }

    /// Proposes a change as an agent, and returns the name of the proposal.
    pub(crate) fn propose(&self, diff: &str) -> Result<String, ProposalError> {
        let why = "Two forms of three had a wrong date.";
        Ok(self.propose_as(&Actor::Agent("agent".into()), diff, why)?.name)
    }

    pub(crate) fn propose_as(
        &self,
        proposer: &Actor,
        diff: &str,
        justification: &str,
    ) -> Result<KeptProposal, ProposalError> {
        self.propose_for(&self.proposals, "pdf", proposer, diff, justification)
    }

    /// Proposes a change of the package under this id.
    pub(crate) fn propose_for(
        &self,
        proposals: &FileProposals,
        skill: &str,
        proposer: &Actor,
        diff: &str,
        justification: &str,
    ) -> Result<KeptProposal, ProposalError> {
        let files = self.files();
        let proposal = Proposal {
            skill,
            base: Digest::of(&files["SKILL.md"].content),
            diff,
            justification,
            evidence: Some("form 2: 31 February"),
            time: Timestamp(1_790_000_000_000),
        };
        let location = self.package().path();
        let package = ProposedPackage {
            location: &location.to_string_lossy(),
            file: "SKILL.md",
            files: &files,
            proposer,
            session: self.session,
            catalog: &Catalog::empty(),
        };
        proposals.submit_checked(&proposal, &package)
    }

    pub(crate) fn only(&self) -> StoredProposal {
        let mut waiting = self.proposals.waiting().unwrap();
        assert_eq!(waiting.len(), 1);
        waiting.remove(0).unwrap()
    }

    pub(crate) fn review(&self, by: Actor) -> Review {
        let StoredProposal { name, digest, .. } = self.only();
        let at = Timestamp(1_790_000_060_000);
        Review { proposal: name, digest, reviewer: by, reason: None, at }
    }

    /// Accepts the only proposal, as a person.
    pub(crate) fn accept(&self, is_rebased: bool) -> Result<(), ReviewError> {
        let review = self.review(ada());
        let (package, catalog) = (self.package(), Catalog::empty());
        let onto = is_rebased.then(|| package_digest(&package.files().unwrap()));
        let accepted = self.proposals.accept(&review, &package, &catalog, onto)?;
        accepted.apply(Timestamp(1_790_000_090_000)).map(drop)
    }
}

pub(crate) fn ada() -> Actor {
    Actor::Person("ada".into())
}

const TWO_FILES: &str = include_str!("../data/two-files.diff");

#[test]
fn files_of_a_proposal_change_together() {
    let place = Place::new();
    let script = place.tree.join("skills/pdf/references/dates.md");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    place.write("secret.txt", "not part of the change");
    fs::create_dir(place.tree.join("skills/pdf/drafts")).unwrap();
    let modes = [("secret.txt", 0o600), ("SKILL.md", 0o640), ("drafts", 0o700), ("", 0o2750)];
    for (path, mode) in modes {
        let path = place.tree.join("skills/pdf").join(path);
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }
    let before = place.files();
    place.propose(TWO_FILES).unwrap();
    assert_eq!(place.files(), before, "a proposal changes no skill");
    place.accept(false).unwrap();
    assert!(place.text("SKILL.md").contains("Fill the form.\nCheck the form with `scripts"));
    assert_eq!(place.text("references/dates.md"), "Year first.\n");
    assert_eq!(place.text("scripts/check.sh"), "#!/bin/sh\nexit 0\n");
    for (path, mode) in modes.into_iter().chain([("references/dates.md", 0o755)]) {
        let found = fs::metadata(place.tree.join("skills/pdf").join(path)).unwrap();
        assert_eq!(found.permissions().mode() & 0o7777, mode, "{path}: modes are kept");
    }
    let names = fs::read_dir(place.tree.join("skills")).unwrap().count();
    assert_eq!(names, 1, "nothing is left next to the skill");
    assert!(place.proposals.waiting().unwrap().is_empty());
    let decided = place.proposals.decided("", usize::MAX).unwrap();
    assert_eq!((decided[0].1.step, &decided[0].1.by), (ReviewStep::Accepted, &ada()));
}

/// A diff, and what becomes of `SKILL.md`; or a part of the reason why it is refused.
#[test]
fn diffs_are_read_strictly() {
    for line in include_str!("../data/diffs.jsonl").lines() {
        let (diff, expected): (String, Result<String, String>) =
            serde_json::from_str(line).unwrap();
        let diff = &*diff;
        let place = Place::new();
        let proposed = place.propose(diff);
        match (proposed, expected) {
            (Ok(_), Ok(part)) => {
                place.accept(false).unwrap_or_else(|error| panic!("{diff}: {error}"));
                let text = place.text("SKILL.md");
                assert!(text.contains(&part), "{diff}: {text}");
                assert_eq!(text.ends_with('\n'), !diff.contains('\\'), "{diff}: {text}");
            }
            (Err(error), Err(part)) => assert!(error.message.contains(&part), "{diff}: {error}"),
            (proposed, _) => panic!("{diff}: {proposed:?}"),
        }
    }
}

#[test]
fn line_breaks_of_the_file_are_kept() {
    let place = Place::new();
    let crlf = place.text("SKILL.md").replace('\n', "\r\n");
    place.write("SKILL.md", &crlf);
    place.propose(" Fill the form.\n+Check it.\n Save the form.\n").unwrap();
    place.accept(false).unwrap();
    let expected = crlf.replacen("form.\r\nSave", "form.\r\nCheck it.\r\nSave", 1);
    assert_eq!(place.text("SKILL.md"), expected);
}

/// The difference of two packages makes one of the other.
#[test]
fn differences_apply_again() {
    let words = ["a", "b", "", "c", "--- x", "+++ y", "@@ -1 +1 @@"];
    let mut state = 7_u64;
    let mut next = |most: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        usize::try_from(state >> 33).unwrap_or_default() % most
    };
    for _ in 0..100 {
        let place = Place::new();
        let mut lines: Vec<&str> = (0..next(30)).map(|_| words[next(words.len())]).collect();
        place.write("references/dates.md", &(lines.join("\n") + ["", "\n"][next(2)]));
        for _ in 0..=next(4) {
            let at = next(lines.len() + 1);
            if next(2) == 0 || at == lines.len() {
                lines.insert(at, words[next(words.len())]);
            } else {
                lines.remove(at);
            }
        }
        let before = place.files();
        let mut after = before.clone();
        let text = lines.join("\n") + ["", "\n"][next(2)];
        after.get_mut("references/dates.md").unwrap().content = text.into_bytes();
        if before == after {
            continue;
        }
        let diff = package_diff(&before, &after);
        place.propose(&diff).unwrap_or_else(|error| panic!("{diff}: {error}"));
        place.accept(false).unwrap_or_else(|error| panic!("{diff}: {error}"));
        assert_eq!(place.files(), after, "{diff}");
    }
}

#[test]
fn invalid_result_is_not_kept() {
    let mut place = Place::new();
    let check = |directory: &str, files: &PackageFiles| {
        assert_eq!(directory, "pdf");
        let text = String::from_utf8_lossy(&files["SKILL.md"].content).into_owned();
        let severity = if text.contains("name: pdf") { Severity::Hint } else { Severity::Error };
        let code = prowess_core::Code::new("name-missing");
        let diagnostics = vec![Diagnostic::new(code, severity, "no name", "add")];
        CheckedPackage { id: None, diagnostics }
    };
    place.proposals = place.proposals.clone().checked_by(Arc::new(check));
    let error = place.propose("-name: pdf\n+title: pdf\n").unwrap_err();
    assert_eq!(error.code, codes::PROPOSAL_INVALID);
    assert!(error.message.contains("no name (name-missing)"), "{error}");
    place.propose("-Save the form.\n+Save it.\n").unwrap();
}

/// A finding of the skill as it is says nothing about the change.
#[test]
fn findings_of_a_change_are_shown() {
    let mut place = Place::new();
    let check = |_: &str, files: &PackageFiles| {
        let text = String::from_utf8_lossy(&files["SKILL.md"].content).into_owned();
        let found = text.lines().filter(|line| line.contains(" the ") || line.contains(" it."));
        let code = || prowess_core::Code::new("word");
        let found = found.map(|line| Diagnostic::new(code(), Severity::Warning, line, "cut"));
        CheckedPackage { id: None, diagnostics: found.collect() }
    };
    place.proposals = place.proposals.clone().checked_by(Arc::new(check));
    place.propose("-Save the form.\n+Save it.\n").unwrap();
    let (proposal, package) = (place.only(), place.package());
    let outlook = place.proposals.outlook(&proposal, &package, &Catalog::empty()).unwrap();
    let messages: Vec<_> = outlook.findings.iter().map(|it| &*it.message).collect();
    assert_eq!(messages, ["Save it."]);
}

/// The same new file is no conflict, another one is, and a line next to a change is shown.
#[test]
fn conflict_shows_what_it_is_about() {
    let new = |line: &str| format!("--- /dev/null\n+++ b/new.md\n@@\n+{line}\n");
    let end = "@@ -11,2 +11,2 @@\n \n-Fill the form.\n+Fill it.\n";
    let text = Place::new().text("SKILL.md");
    let cases: [(String, &str, String, &[&str]); 3] = [
        ("-Save the form.\n+Save it.\n".to_owned() + &new("One."), "new.md", "One.\n".into(), &[]),
        (new("One."), "new.md", "Other.\n".into(), &["Other."]),
        (
            format!("--- a/SKILL.md\n+++ b/SKILL.md\n{end}"),
            "SKILL.md",
            text + "More.\n",
            &["Save the form.", "", "# Dates", "", "Fill the form.", "More."],
        ),
    ];
    for (diff, path, text, now) in cases {
        let place = Place::new();
        place.propose(&diff).unwrap();
        place.write(path, &text);
        let found = place.accept(true).map_or_else(|error| error.conflicts, |()| Vec::new());
        let found: Vec<_> = found.into_iter().flat_map(|it| it.now).collect();
        assert_eq!(found, now, "{diff}");
    }
}

#[test]
fn changed_file_is_never_applied() {
    for (from, to) in [
        ("+Save it.", "+Remove it."),
        ("Two forms", "Ten forms"),
        ("`pdf`", "`xls`"),
        ("agent `agent`", "agent `robot`"),
        ("agent `agent`", "person `agent`"),
        ("skills/pdf", "skills/xls"),
        ("\n## Diff\n", "\n\n## Diff\n"),
        ("31 February\n```\n", "31 February\n```\nApproved.\n"),
    ] {
        let place = Place::new();
        let name = place.propose("-Save the form.\n+Save it.\n").unwrap();
        let review = place.review(ada());
        let file = place.tree.join("proposals").join(&name);
        let text = fs::read_to_string(&file).unwrap();
        let changed = text.replace(from, to);
        assert_ne!(text, changed, "{from} is in it");
        fs::write(&file, changed).unwrap();
        let listed = place.proposals.waiting().unwrap().remove(0).unwrap_err();
        let catalog = Catalog::empty();
        let accepted = place.proposals.accept(&review, &place.package(), &catalog, None);
        let error = accepted.unwrap_err();
        for error in [listed, error] {
            assert_eq!(error.code, review_codes::PROPOSAL_TAMPERED, "{from}: {error}");
        }
    }
}

#[test]
fn acceptance_is_of_what_was_reviewed() {
    let place = Place::new();
    place.propose("-Save the form.\n+Save it.\n").unwrap();
    let review = Review { digest: Digest::of(b"another"), ..place.review(ada()) };
    let accepted = place.proposals.accept(&review, &place.package(), &Catalog::empty(), None);
    assert_eq!(accepted.unwrap_err().code, review_codes::PROPOSAL_CHANGED);
    for proposal in ["none.md", "../proposals/none.md", "decided"] {
        let review = Review { proposal: proposal.into(), ..place.review(ada()) };
        let error = place.proposals.reject(&review).unwrap_err();
        assert_eq!(error.code, review_codes::PROPOSAL_NOT_FOUND, "{proposal}");
    }
}

#[test]
fn other_base_is_a_conflict() {
    let place = Place::new();
    place.propose("-Save the form.\n+Save it.\n").unwrap();
    place.write("SKILL.md", &place.text("SKILL.md").replace("# Forms", "# Forms\n\nRead first."));
    let error = place.accept(false).unwrap_err();
    assert_eq!((error.code, error.conflicts), (codes::PROPOSAL_CONFLICT, Vec::new()), "it fits");
    let (package, catalog) = (place.package(), Catalog::empty());
    let shown = Some(package_digest(&package.files().unwrap()));
    place.write("notes.md", "Not seen.");
    let accepted = place.proposals.accept(&place.review(ada()), &package, &catalog, shown);
    let message = accepted.unwrap_err().message;
    assert_eq!(message, "the skill has changed since it was shown");
    place.accept(true).unwrap();
    let text = place.text("SKILL.md");
    assert!(text.contains("Read first.") && text.contains("Save it."), "{text}");

    let place = Place::new();
    place.propose("@@\n # Dates\n \n-Fill the form.\n+Fill the date.\n").unwrap();
    let other = "# Dates\n\nFill the form with care.\n";
    place.write("SKILL.md", &place.text("SKILL.md").replace("# Dates\n\nFill the form.\n", other));
    for is_rebased in [false, true] {
        let error = place.accept(is_rebased).unwrap_err();
        let [conflict] = &error.conflicts[..] else { panic!("{error:?}") };
        assert_eq!((&*conflict.path, conflict.hunk), ("SKILL.md", 1));
        let last = |lines: &[String]| lines.last().cloned().unwrap_or_default();
        assert_eq!(last(&conflict.base), "Fill the form.");
        assert_eq!(last(&conflict.proposed), "Fill the date.");
        assert_eq!(last(&conflict.now), "Fill the form with care.");
    }
    assert!(place.text("SKILL.md").ends_with(other), "nothing was written");
}

/// Another change of the file, and whether a proposal for one of two equal lines still fits.
#[test]
fn changes_are_merged_with_those_made_since() {
    let cases: [(&str, &str, bool); 8] = [
        ("# Forms", "# Forms\n\nFirst.", true),
        ("Fill the form.\nSave the form.\n", "Save the form.\n", true),
        ("# Dates", "# Days", true),
        ("description: Fills forms.", "description: Fills and reads forms.", true),
        ("# Dates\n\nFill the form.\n", "# Dates\n\nFill it.\n", false),
        ("# Dates\n\nFill", "# Dates\n\nFirst.\nFill", false),
        ("# Dates\n\nFill the form.\n", "", false),
        ("# Dates\n\nFill the form.\n", "# Dates\n\nFill the form.\nAnd then.\n", false),
    ];
    for (from, to, fits) in cases {
        let place = Place::new();
        place.propose("@@\n # Dates\n \n-Fill the form.\n+Fill the date.\n").unwrap();
        let text = place.text("SKILL.md");
        let changed = text.replacen(from, to, 1);
        assert_ne!(text, changed, "{from}");
        place.write("SKILL.md", &changed);
        let accepted = place.accept(true);
        assert_eq!(accepted.is_ok(), fits, "{from} -> {to}: {accepted:?}");
        let (start, _) = changed.rsplit_once("Fill the form.\n").unwrap_or((&changed, ""));
        let expected = if fits { format!("{start}Fill the date.\n") } else { changed.clone() };
        assert_eq!(place.text("SKILL.md"), expected, "{from} -> {to}");
        let base = place.tree.join("proposals/base");
        // Two files and the list of them.
        let kept = if fits { 0 } else { 3 };
        assert_eq!(fs::read_dir(base).unwrap().count(), kept, "bases are removed");
    }
}

/// A reviewer sees each change of the skill since it was proposed, also of files that the proposal
/// leaves alone.
#[test]
fn changes_since_are_shown() {
    let large = "x".repeat(300_000);
    let cases: [(&str, Option<&str>, &str); 5] = [
        ("SKILL.md", Some("Other.\n"), "-Save the form.\n"),
        ("references/dates.md", Some("Month first.\n"), "-Day first.\n+Month first.\n"),
        ("references/dates.md", None, "--- a/references/dates.md\n+++ /dev/null\n"),
        ("evil.sh", Some("#!/bin/sh\n"), "--- /dev/null\n+++ b/evil.sh\n"),
        ("large.md", Some("small"), "Files a/large.md and b/large.md differ\n"),
    ];
    for (path, text, expected) in cases {
        let place = Place::new();
        place.write("large.md", &large);
        place.propose("-Save the form.\n+Save it.\n").unwrap();
        let since = || place.proposals.changes_since(&place.only(), &place.files());
        assert_eq!(since(), "");
        match text {
            Some(text) => place.write(path, text),
            None => fs::remove_file(place.tree.join("skills/pdf").join(path)).unwrap(),
        }
        assert!(since().contains(expected), "{path}: {}", since());
    }
}

/// Of many acceptances at once, each of its own proposal for the same lines, one wins.
#[test]
fn racing_acceptances_have_one_winner() {
    for diffs in [["Save A.", "Save B.", "Save C.", "Save D."]; 8] {
        let place = Place::new();
        let new = |text: &str| format!("--- /dev/null\n+++ b/{}.md\n@@\n+x\n", &text[5..6]);
        let name = |text: &str| {
            place.propose(&format!("-Save the form.\n+{text}\n{}", new(text))).unwrap()
        };
        let names = diffs.map(name);
        let waiting = place.proposals.waiting().unwrap().into_iter().map(Result::unwrap);
        let waiting: Vec<_> = waiting.filter(|it| names.contains(&it.name)).collect();
        let accepted: usize = std::thread::scope(|scope| {
            let threads: Vec<_> = waiting
                .iter()
                .map(|proposal| {
                    let (place, digest) = (&place, proposal.digest);
                    let (reviewer, at) = (ada(), Timestamp(1));
                    let proposal = proposal.name.clone();
                    let review = Review { proposal, digest, reviewer, reason: None, at };
                    scope.spawn(move || {
                        let (package, catalog) = (place.package(), Catalog::empty());
                        let accepted = place.proposals.accept(&review, &package, &catalog, None);
                        usize::from(accepted.and_then(|it| it.apply(Timestamp(1))).is_ok())
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert_eq!(accepted, 1, "one wins");
        assert_eq!(place.files().len(), 3, "it has its own new file, and no other");
        assert_eq!(place.proposals.waiting().unwrap().len(), 3, "the others wait");
    }
}

#[test]
fn racing_proposals_of_one_change_are_one() {
    let place = Place::new();
    let propose = || place.propose("-Save the form.\n+Save it.\n").unwrap();
    let names: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(propose)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(names.iter().all(|name| *name == names[0]), "{names:?}");
}

/// Two programs without common proposals, such as a restore and an editor of ours.
#[test]
fn replacement_needs_the_files_that_were_read() {
    let place = Place::new();
    let before = place.files();
    let mut after = before.clone();
    after.remove("references/dates.md");
    place.write("SKILL.md", "changed");
    let error = place.package().replace(&before, &after).unwrap_err();
    assert_eq!(error.code, codes::PROPOSAL_CONFLICT);
    assert_eq!(place.text("SKILL.md"), "changed");
}

/// A skill whose directory is gone returns to it, unless something is there again.
#[test]
fn removed_package_is_written_where_it_was() {
    let place = Place::new();
    let files = place.files();
    fs::remove_dir_all(place.tree.join("skills")).unwrap();
    let package = place.package();
    assert_eq!(package.files().unwrap(), PackageFiles::new());
    package.replace(&PackageFiles::new(), &files).unwrap();
    assert_eq!(place.files(), files);
    let error = package.replace(&PackageFiles::new(), &files).unwrap_err();
    assert_eq!(error.code, codes::PROPOSAL_CONFLICT);
    assert_eq!(fs::read_dir(place.tree.join("skills")).unwrap().count(), 1, "nothing is left");
}

/// The program was killed after the change, or before it.
#[test]
fn interrupted_acceptance_is_finished_or_forgotten() {
    for (is_made, is_rejected) in [(true, true), (true, false), (false, true), (false, false)] {
        let place = Place::new();
        let name = place.propose("-Save the form.\n+Save it.\n").unwrap();
        place.accept(false).unwrap();
        let proposals = place.tree.join("proposals");
        fs::rename(proposals.join("decided").join(&name), proposals.join(&name)).unwrap();
        if !is_made {
            place.write("SKILL.md", &place.text("SKILL.md").replace("Save it.", "Save the form."));
        }
        let decided = match is_rejected {
            true => place.proposals.reject(&place.review(ada())).map(drop),
            false => place.accept(false),
        };
        match decided {
            Ok(()) => assert!(!is_made),
            Err(error) => assert!(is_made && error.message.contains("accepted by ada")),
        }
        assert_eq!(place.text("SKILL.md").contains("Save it."), is_made || !is_rejected);
        assert_eq!(place.proposals.decided("", usize::MAX).unwrap().len(), 1);
        assert!(place.proposals.waiting().unwrap().is_empty());
    }
}

/// Records the steps of reviews, and fails if it is full.
#[derive(Default)]
struct Steps {
    steps: Mutex<Vec<(ReviewStep, Timestamp)>>,
    is_full: bool,
}

impl AuditSink for Steps {
    fn record(&self, _event: &AuditEvent) {}

    fn report(&self, event: &RuntimeEvent) {
        if let RuntimeEvent::Review(event) = event {
            self.steps.lock().unwrap().push((event.step, event.at));
        }
    }

    fn store(&self, event: &RuntimeEvent) -> Result<(), AuditError> {
        if self.is_full {
            return Err(AuditError("the disk is full".into()));
        }
        self.report(event);
        Ok(())
    }
}

#[test]
fn steps_are_in_the_audit() {
    let mut place = Place::new();
    let steps = Arc::new(Steps::default());
    let audited = |place: &Place, audit: Arc<Steps>| {
        place.proposals.clone().audited_by(audit, AuditPolicy::Required)
    };
    place.proposals = audited(&place, Arc::clone(&steps));
    place.propose("-Save the form.\n+Save it.\n").unwrap();
    place.proposals.reject(&place.review(ada())).unwrap();
    place.propose("-Save the form.\n+Save it.\n").unwrap();
    place.proposals.withdraw(&place.review(ada())).unwrap();
    place.propose("-Save the form.\n+Save it.\n").unwrap();
    place.accept(false).unwrap();
    use ReviewStep::{Accepted, Applied, Proposed, Rejected, Withdrawn};
    let seconds = [(Proposed, 0), (Rejected, 60), (Proposed, 0), (Withdrawn, 60)];
    let seconds = [&seconds[..], &[(Proposed, 0), (Accepted, 60), (Applied, 90)]].concat();
    let at = |seconds: u64| Timestamp(1_790_000_000_000 + seconds * 1_000);
    let expected: Vec<_> = seconds.into_iter().map(|(step, it)| (step, at(it))).collect();
    assert_eq!(*steps.steps.lock().unwrap(), expected, "each step has its own time");

    place.propose("-Save it.\n+Save them.\n").unwrap();
    let full = Arc::new(Steps { is_full: true, ..Steps::default() });
    place.proposals = audited(&place, Arc::clone(&full));
    let error = place.accept(false).unwrap_err();
    assert!(error.message.contains("the disk is full"), "{error}");
    assert!(place.text("SKILL.md").contains("Save it."), "nothing is accepted without a record");
    place.proposals = place.proposals.clone().audited_by(full, AuditPolicy::BestEffort);
    place.accept(false).expect("a record that is not required is not waited for");
}
