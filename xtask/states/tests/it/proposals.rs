//! Two reviewers and an editor of one skill, with real proposals and files.

use std::fs;
use std::path::Path;

use prowess_core::{
    Actor, Catalog, Digest, PackageFiles, Proposal, ProposalStore, ProposedPackage, Timestamp,
};
use prowess_governance::{
    FileProposals, Outlook, ProposalPolicy, Review, SkillPackage, StoredProposal,
};
use stateright::{Checker, Model, Property};

const HEAD: &str = "---\nname: pdf\ndescription: Fills forms.\n---\n";

/// Each proposal changes the line to its own text.
const PROPOSED: [&str; 2] = ["checked", "signed"];

struct Reviews {
    /// Whether a reviewer writes without a comparison what it has computed before.
    writes_blindly: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Skill {
    /// The line of the skill now.
    line: String,
    /// The number of edits by hand.
    edits: usize,
    is_decided: [bool; 2],
    /// The line that each reviewer has seen.
    seen: [Option<String>; 2],
    /// Whether a change replaced a line that its reviewer had not seen.
    has_lost: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Action {
    Look(usize),
    Accept(usize),
    /// The file is saved between the check and the change.
    AcceptDuringEdit(usize),
    Edit,
}

/// A skill in a directory of its own, with both proposals, which are for the line `plain`.
struct Place {
    directory: tempfile::TempDir,
    proposals: FileProposals,
}

fn text(line: &str) -> String {
    format!("{HEAD}{line}\n")
}

impl Place {
    fn new(skill: &Skill) -> Self {
        let directory = tempfile::tempdir().expect("there is room for a directory");
        let proposals = FileProposals::new(directory.path().join("all"), ProposalPolicy::default());
        let place = Self { directory, proposals };
        fs::create_dir(place.skill()).expect("the directory is new");
        place.write("plain");
        for (number, proposed) in PROPOSED.iter().enumerate() {
            place.propose(number, proposed);
        }
        place.write(&skill.line);
        place
    }

    fn skill(&self) -> std::path::PathBuf {
        self.directory.path().join("pdf")
    }

    fn write(&self, line: &str) {
        fs::write(self.skill().join("SKILL.md"), text(line)).expect("the file can be written");
    }

    fn line(&self) -> String {
        let text = fs::read_to_string(Path::new(&self.skill()).join("SKILL.md"));
        let text = text.expect("the skill has its file");
        text.strip_prefix(HEAD).expect("no step changes the head").trim_end().to_owned()
    }

    fn package(&self) -> SkillPackage {
        SkillPackage::new(&self.skill()).expect("the directory exists")
    }

    fn files(&self) -> PackageFiles {
        self.package().files().expect("the files can be read")
    }

    fn propose(&self, number: usize, proposed: &str) {
        let files = self.files();
        let proposal = Proposal {
            skill: "pdf",
            base: Digest::of(&files["SKILL.md"].content),
            diff: &format!("-plain\n+{proposed}\n"),
            justification: "It is better.",
            evidence: None,
            time: Timestamp(1_790_000_000_000 + 1_000 * number as u64),
        };
        let (location, proposer) = (self.skill(), Actor::Agent("agent".to_owned()));
        let package = ProposedPackage {
            location: &location.to_string_lossy(),
            file: "SKILL.md",
            files: &files,
            proposer: &proposer,
            session: None,
            catalog: &Catalog::empty(),
        };
        self.proposals.submit_checked(&proposal, &package).expect("the proposal fits");
    }

    fn stored(&self, number: usize) -> StoredProposal {
        let waiting = self.proposals.waiting().expect("the directory can be read");
        let is_it = |stored: &StoredProposal| stored.diff.contains(PROPOSED[number]);
        waiting.into_iter().flatten().find(is_it).expect("both wait")
    }

    /// Accepts a proposal; `between` happens after the check.
    fn accept(&self, number: usize, between: impl FnOnce()) -> bool {
        let StoredProposal { name, digest, .. } = self.stored(number);
        let reviewer = Actor::Person(format!("reviewer {number}"));
        let at = Timestamp(1_790_000_060_000);
        let review = Review { proposal: name, digest, reviewer, reason: None, at };
        let (package, catalog) = (self.package(), Catalog::empty());
        let accepted = self.proposals.accept(&review, &package, &catalog, None);
        let Ok(acceptance) = accepted else { return false };
        between();
        acceptance.apply(at).is_ok()
    }
}

impl Reviews {
    /// Writes the files as they would have been for the line that the reviewer has seen.
    fn write(&self, skill: &mut Skill, number: usize, seen: &str) {
        let place = Place::new(skill);
        place.write(seen);
        let stored = place.stored(number);
        let outlook = place.proposals.outlook(&stored, &place.package(), &Catalog::empty());
        let Ok(Outlook { after, .. }) = outlook else { return };
        place.write(&skill.line);
        fs::write(place.skill().join("SKILL.md"), &after["SKILL.md"].content).expect("it is there");
        skill.has_lost |= seen != skill.line;
        (skill.line, skill.is_decided[number]) = (place.line(), true);
    }

    fn accept(&self, skill: &mut Skill, number: usize, is_edited: bool) {
        let place = Place::new(skill);
        let before = skill.line.clone();
        let edited = format!("edited {}", skill.edits);
        let mut base = before;
        let is_accepted = place.accept(number, || {
            if is_edited {
                place.write(&edited);
                skill.edits += 1;
                base = edited;
            }
        });
        skill.line = place.line();
        let is_kept = if is_accepted { base == "plain" } else { skill.line == base };
        skill.has_lost |= !is_kept;
        skill.is_decided[number] |= is_accepted;
    }
}

impl Model for Reviews {
    type State = Skill;
    type Action = Action;

    fn init_states(&self) -> Vec<Skill> {
        let (is_decided, seen) = ([false; 2], [None, None]);
        vec![Skill { line: "plain".into(), edits: 0, is_decided, seen, has_lost: false }]
    }

    fn actions(&self, skill: &Skill, actions: &mut Vec<Action>) {
        for number in (0..PROPOSED.len()).filter(|number| !skill.is_decided[*number]) {
            actions.push(match skill.seen[number] {
                None => Action::Look(number),
                Some(_) => Action::Accept(number),
            });
            if !self.writes_blindly && skill.edits < 2 && skill.seen[number].is_some() {
                actions.push(Action::AcceptDuringEdit(number));
            }
        }
        if skill.edits < 2 {
            actions.push(Action::Edit);
        }
    }

    fn next_state(&self, last: &Skill, action: Action) -> Option<Skill> {
        let mut skill = last.clone();
        match action {
            Action::Look(number) => skill.seen[number] = Some(last.line.clone()),
            Action::Accept(number) => {
                let seen = skill.seen[number].take()?;
                match self.writes_blindly {
                    true => self.write(&mut skill, number, &seen),
                    false => self.accept(&mut skill, number, false),
                }
            }
            Action::AcceptDuringEdit(number) => {
                skill.seen[number].take()?;
                self.accept(&mut skill, number, true);
            }
            Action::Edit => {
                skill.line = format!("edited {}", skill.edits);
                skill.edits += 1;
            }
        }
        Some(skill)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(KEPT, |_, skill: &Skill| !skill.has_lost),
            Property::sometimes("a proposal is accepted", |_, skill: &Skill| {
                PROPOSED.contains(&&*skill.line)
            }),
            Property::always("one proposal for one base is accepted", |_, skill: &Skill| {
                skill.has_lost || skill.is_decided != [true; 2]
            }),
        ]
    }
}

/// The property that the comparison with the base ensures.
const KEPT: &str = "a change replaces the line that it was made for, and no other";

#[test]
fn no_order_loses_an_edit() {
    let checker = Reviews { writes_blindly: false }.checker().spawn_bfs().join();
    checker.assert_properties();
    assert!(checker.unique_state_count() > 50, "{}", checker.unique_state_count());
}

#[test]
fn without_comparison_an_edit_is_lost() {
    let checker = Reviews { writes_blindly: true }.checker().spawn_bfs().join();
    assert!(checker.discovery(KEPT).is_some(), "the checker finds an order that loses an edit");
}
