//! The rules of proposers, reviewers and packages, and of changes that are never kept.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::Path;

use prowess_core::{Actor, Catalog, Proposal, ProposalStore as _, Timestamp};
use prowess_governance::{
    Delivery, FileProposals, ProposalPolicy, Review, SkillPackage, codes, review_codes,
};
use prowess_testkit::ManualClock;

use crate::review::{Place, ada};

const DIFF: &str = "-Save the form.\n+Save it.\n";

fn agent(name: &str) -> Actor {
    Actor::Agent(name.into())
}

/// Returns the diff of a new file.
fn new(path: &str) -> String {
    format!("--- /dev/null\n+++ b/{path}\n@@\n+x\n")
}

/// A name is compared with its kind: an agent is no person, whatever it is called.
#[test]
fn reviewer_is_somebody_else() {
    let reviewer = |name: &str| Actor::Reviewer(name.into());
    let session = || Actor::Session("ada".into());
    let cases: [(Actor, Actor, [bool; 3]); 10] = [
        (agent("one"), ada(), [true, true, true]),
        (agent("ada"), ada(), [true, true, true]),
        (session(), ada(), [true, true, true]),
        (ada(), ada(), [false, false, true]),
        (ada(), Actor::Person("bob".into()), [true, true, true]),
        (agent("one"), reviewer("reviewer"), [true, true, false]),
        (agent("reviewer"), reviewer("reviewer"), [false, false, true]),
        (agent("reviewer"), agent("reviewer"), [false, false, true]),
        (agent("one"), agent("reviewer"), [false, false, false]),
        (ada(), session(), [false, false, false]),
    ];
    for (proposer, reviewer, expected) in cases {
        for (step, is_allowed) in ["accept", "reject", "withdraw"].into_iter().zip(expected) {
            let place = Place::new();
            place.propose_as(&proposer, DIFF, "why").unwrap();
            let review = place.review(reviewer.clone());
            let result = match step {
                "accept" => {
                    let (package, catalog) = (place.package(), Catalog::empty());
                    place.proposals.accept(&review, &package, &catalog, None).map(drop)
                }
                "reject" => place.proposals.reject(&review).map(drop),
                _ => place.proposals.withdraw(&review).map(drop),
            };
            let code = result.err().map(|error| error.code);
            let refused = (!is_allowed).then_some(review_codes::REVIEWER_NOT_ALLOWED);
            assert_eq!(code, refused, "{proposer:?}, {reviewer:?}: {step}");
        }
    }
}

#[test]
fn names_of_agents_are_quoted_and_bounded() {
    let long = "x".repeat(10_000);
    for (name, shown) in [
        ("root (uid 0)", "agent `root (uid 0)`"),
        ("1, approved by carol", "agent `1, approved by carol`"),
        (
            "a`\n- Proposed by: person `ada",
            "agent `a\\u{60}\\u{a}- Proposed by: person \\u{60}ada`",
        ),
        ("a  \u{202e} b", "agent `a \\u{202e} b`"),
        ("", "agent ``"),
        (&long, &format!("agent `{}…`", "x".repeat(120))),
    ] {
        let place = Place::new();
        place.propose_as(&agent(name), DIFF, "why").unwrap();
        let proposer = place.only().proposer.unwrap();
        assert_eq!(proposer.kind(), "agent");
        assert_eq!(proposer.to_string(), shown, "{name}");
        let error = place.proposals.reject(&place.review(agent(name))).unwrap_err();
        assert_eq!(error.code, review_codes::REVIEWER_NOT_ALLOWED, "{name} is its own");
    }
}

#[test]
fn proposal_is_for_its_package() {
    let place = Place::new();
    place.propose(DIFF).unwrap();
    let other = Place::new();
    let review = place.review(ada());
    let accept = |directory: &Path| {
        let package = SkillPackage::new(directory).unwrap();
        let accepted = place.proposals.accept(&review, &package, &Catalog::empty(), None);
        accepted.and_then(|it| it.apply(Timestamp(1)))
    };
    let before = other.files();
    let error = accept(&other.tree.join("skills/pdf")).unwrap_err();
    assert_eq!(error.code, codes::PROPOSAL_CONFLICT);
    assert!(error.message.contains("it is for the package"), "{error}");
    assert_eq!(other.files(), before);
    fs::create_dir(place.tree.join("skills/xls")).unwrap();
    fs::copy(place.tree.join("skills/pdf/SKILL.md"), place.tree.join("skills/xls/SKILL.md"))
        .unwrap();
    accept(&place.tree.join("skills/xls")).unwrap_err();
    // A checkout that is moved has the same packages.
    fs::rename(place.tree.join("skills"), place.tree.join("moved")).unwrap();
    accept(&place.tree.join("moved/pdf")).unwrap();
}

/// The base is the whole package: what a change means may depend on a file that it leaves alone.
#[test]
fn other_files_are_part_of_the_base() {
    let changes: [fn(&Place); 4] = [
        |place| place.write("references/dates.md", "Any day.\n"),
        |place| place.write("new.sh", "exit\n"),
        |place| fs::remove_file(place.tree.join("skills/pdf/references/dates.md")).unwrap(),
        |place| {
            let file = place.tree.join("skills/pdf/references/dates.md");
            fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
        },
    ];
    for change in changes {
        let place = Place::new();
        place.propose(DIFF).unwrap();
        let outlook = || {
            let (proposal, package) = (place.only(), place.package());
            place.proposals.outlook(&proposal, &package, &Catalog::empty()).unwrap()
        };
        assert!(!outlook().has_moved);
        change(&place);
        assert!(outlook().has_moved);
        assert_eq!(place.accept(false).unwrap_err().code, codes::PROPOSAL_CONFLICT);
        place.accept(true).unwrap();
    }
}

/// Checks that everything in a directory is for the user alone.
fn check_private(directory: &Path) {
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(directory), 0o700, "{directory:?}");
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            check_private(&path);
        } else {
            assert_eq!(mode(&path), 0o600, "{path:?}");
        }
    }
}

#[test]
fn files_are_for_the_user_alone() {
    let mut place = Place::new();
    let directory = place.tree.join("new/proposals");
    place.proposals = FileProposals::new(&directory, ProposalPolicy::default());
    place.propose(DIFF).unwrap();
    let mut channel = place.proposals.channel("mail").unwrap().unwrap();
    channel.deliver(&ManualClock::default(), |_| Delivery::Received).unwrap();
    place.accept(false).unwrap();
    place.propose("-Save it.\n+Save.\n").unwrap();
    place.proposals.reject(&place.review(ada())).unwrap();
    place.propose("-Save it.\n+Save.\n").unwrap();
    for name in ["base", "decided", "notified"] {
        assert!(directory.join(name).is_dir(), "{name}");
    }
    check_private(&place.tree.join("new"));
}

/// A change that can never be accepted is not kept, and one that has become so is not accepted.
#[test]
fn impossible_changes_are_refused() {
    let link = |place: &Place| {
        symlink("/etc/hostname", place.tree.join("skills/pdf/link")).unwrap();
    };
    for (path, expected) in [
        ("link", "`link` is the place of a link"),
        ("link/x.md", "`link/x.md` is the place of a link"),
        ("a/node_modules/x.js", "is no path of a file of the skill"),
        ("aux.md", "`aux.md` is not a name"),
        ("SKILL.md/x", "the same file as another"),
    ] {
        let place = Place::new();
        link(&place);
        let error = place.propose(&new(path)).unwrap_err();
        assert_eq!(error.code, codes::PROPOSAL_INVALID);
        assert!(error.message.contains(expected), "{path}: {error}");
        assert!(!place.tree.join("proposals").exists(), "nothing was kept");
    }
    let place = Place::new();
    place.write("nul.txt", "");
    assert!(place.propose(DIFF).unwrap_err().message.contains("rename that file first"));
    let place = Place::new();
    place.propose(&new("link")).unwrap();
    link(&place);
    let error = place.accept(true).unwrap_err();
    assert_eq!(error.code, codes::PROPOSAL_INVALID, "{error}");
    assert!(error.message.contains("`link` is the place of a link"), "{error}");
    assert!(place.proposals.decided("", usize::MAX).unwrap().is_empty());
}

/// A clone of a repository, with what a package manager has installed, and links.
#[test]
fn files_of_others_stay_the_same_files() {
    let place = Place::new();
    let skill = place.tree.join("skills/pdf");
    let others =
        [".git/HEAD", ".git/objects/ab/cd", "node_modules/a/x.js", "references/node_modules/b.js"];
    for path in others {
        place.tree.write(&format!("skills/pdf/{path}"), path);
    }
    fs::create_dir_all(skill.join(".git/refs/tags")).unwrap();
    symlink("../nothing", skill.join("references/link")).unwrap();
    let inode = |path: &&str| fs::symlink_metadata(skill.join(path)).unwrap().ino();
    let all = || others.iter().chain([&"references/link"]).map(inode).collect::<Vec<_>>();
    let before = all();
    place.propose(&(DIFF.to_owned() + &new("x.md"))).unwrap();
    place.accept(false).unwrap();
    assert!(skill.join("x.md").exists() && skill.join(".git/refs/tags").is_dir());
    assert_eq!(all(), before);
    let names = fs::read_dir(place.tree.join("skills")).unwrap().count();
    assert_eq!(names, 1, "nothing is left next to the skill");
}

/// Agents have limits of their own, so that none keeps a person out.
#[test]
fn agents_leave_room_for_people() {
    let mut place = Place::new();
    let policy = ProposalPolicy { waiting: 30, ..Default::default() };
    place.proposals = FileProposals::new(place.tree.join("proposals"), policy);
    let propose = |actor: &Actor, number: usize| {
        let (skill, diff) = (if number < 20 { "pdf" } else { "xls" }, format!("{number}.md"));
        place.propose_for(&place.proposals, skill, actor, &new(&diff), "why").map(drop)
    };
    let full = |actor: &Actor, number: usize| {
        let error = propose(actor, number).unwrap_err();
        assert_eq!(error.code, codes::PROPOSALS_FULL, "{error}");
        error.message
    };
    (0..20).for_each(|number| propose(&agent("one"), number).unwrap());
    let message = full(&agent("one"), 20);
    assert!(message.contains("20 proposals of agent `one` wait"), "{message}");
    propose(&agent("one"), 0).expect("the answer to a duplicate needs no room");
    (20..30).for_each(|number| propose(&agent(&number.to_string()), number).unwrap());
    let message = full(&Actor::Session("new".into()), 30);
    assert!(message.contains("30 proposals of agents wait"), "{message}");
    (30..60).for_each(|number| propose(&ada(), number).unwrap());
    full(&ada(), 60);
}

/// An agent chooses its name, so a limit by the name alone would be none.
#[test]
fn names_of_an_agent_are_no_room() {
    let place = Place::new();
    let propose = |number: usize| {
        let by = agent(&format!("evil {number}"));
        place.propose_as(&by, &new(&format!("{number}.md")), "why").map(drop)
    };
    (0..20).for_each(|number| propose(number).unwrap());
    let error = propose(20).unwrap_err();
    assert!(error.message.contains("20 proposals of agents for `pdf` wait"), "{error}");
    // A skill for which none waits has room, although there are too many of others.
    let policy = ProposalPolicy { waiting: 20, ..Default::default() };
    let proposals = FileProposals::new(place.tree.join("proposals"), policy);
    let propose = |skill: &str, path: &str| {
        place.propose_for(&proposals, skill, &agent("new"), &new(path), "why").map(drop)
    };
    propose("xls", "x.md").unwrap();
    assert_eq!(propose("xls", "y.md").unwrap_err().code, codes::PROPOSALS_FULL);
}

/// Many names and many skills have one limit for all agents, and in one session that of one agent.
#[test]
fn skills_of_an_agent_are_no_room() {
    let of_all = "30 proposals of agents wait for a review already, and the limit is 30";
    for (session, most, expected) in
        [(Some("one"), 20, "20 proposals of this session wait"), (None, 30, of_all)]
    {
        let place = Place { session, ..Place::new() };
        let policy = ProposalPolicy { waiting: 15, ..Default::default() };
        let proposals = FileProposals::new(place.tree.join("proposals"), policy);
        let propose = |by: Actor, number: usize| {
            let diff = new(&format!("{number}.md"));
            place.propose_for(&proposals, &format!("skill-{number}"), &by, &diff, "why")
        };
        let of_agent = |number: usize| propose(agent(&number.to_string()), number);
        assert!((0..most).all(|number| of_agent(number).is_ok()));
        let error = of_agent(most).unwrap_err();
        assert!(error.code == codes::PROPOSALS_FULL && error.message.contains(expected), "{error}");
        propose(ada(), most).expect("people have room of their own");
    }
}

#[test]
fn last_decided_are_those_of_the_last_proposals() {
    let place = Place::new();
    let name = place.propose(DIFF).unwrap();
    place.accept(false).unwrap();
    let decided = place.tree.join("proposals/decided");
    for copy in ["z-20260101T000000Z", "a-20280101T000000Z-2", "a-20270101T000000Z"] {
        for ending in ["md", "json"] {
            let [from, to] = [&*name, copy].map(|it| decided.join(it).with_extension(ending));
            fs::copy(from, to).unwrap();
        }
    }
    let last = place.proposals.decided("", 2).unwrap();
    assert!(last.iter().all(|(name, _)| name.starts_with("a-202")), "{last:?}");
    assert_eq!((last.len(), place.proposals.decided("", usize::MAX).unwrap().len()), (2, 4));
}

#[test]
fn other_documents_are_no_proposals() {
    let place = Place::new();
    let name = place.propose(DIFF).unwrap();
    let proposals = place.tree.join("proposals");
    for other in ["README.md", "notes-1.md", "a-20260921T141320Z.txt", "-2026T1Z-x.md"] {
        fs::write(proposals.join(other), "# Notes\n").unwrap();
    }
    assert_eq!(place.only().name, name);
    // A second one of that second has a number.
    assert_eq!(place.propose(&new("x.md")).unwrap(), name.replace(".md", "-2.md"));
}

/// A person removes a file that is not as it was written, whatever it is now.
#[test]
fn tampered_file_is_rejected_by_its_name() {
    let contents: [&[u8]; 3] = [b"", b"\xff", &[b'x'; 1 << 20]];
    for content in contents {
        let place = Place::new();
        let name = place.propose(DIFF).unwrap();
        fs::write(place.tree.join("proposals").join(&name), content).unwrap();
        let digest = prowess_core::Digest::of(b"");
        let review = |reviewer: Actor| {
            let at = Timestamp(1);
            Review { proposal: name.clone(), digest, reviewer, reason: None, at }
        };
        let error = place.proposals.withdraw(&review(agent("agent"))).unwrap_err();
        assert_eq!(error.code, review_codes::PROPOSAL_TAMPERED);
        let file = error.tampered.unwrap();
        assert_eq!((&file.name, &*file.skill), (&name, "pdf"));
        let read = if content.len() < 1 << 20 { content } else { b"" };
        assert_eq!(file.digest, prowess_core::Digest::of(read));
        let agents = place.proposals.reject(&review(agent("agent")));
        for refused in [agents, place.proposals.withdraw(&review(ada()))] {
            assert_eq!(refused.unwrap_err().code, review_codes::PROPOSAL_TAMPERED);
        }
        let decision = place.proposals.reject(&review(ada())).unwrap();
        assert_eq!((&*decision.skill, &decision.by), ("pdf", &ada()));
        assert!(place.proposals.waiting().unwrap().is_empty());
        let decided = ["", "other"].map(|start| place.proposals.decided(start, 9).unwrap().len());
        assert_eq!(decided, [1, 0]);
    }
}

#[test]
fn duplicate_is_answered_with_the_name() {
    let place = Place::new();
    let kept = place.propose_as(&agent("one"), DIFF, "why").unwrap();
    assert!(!kept.is_known);
    let same = "@@ -8 +8 @@\n-Save the form.\n+Save it.\n";
    let again = place.propose_as(&agent("two"), same, "another reason").unwrap();
    assert_eq!((&again.name, again.is_known), (&kept.name, true), "it is the same change");
    assert_eq!(place.only().justification, "why\n");
    let other = place.propose_as(&agent("two"), "-Save the form.\n+Keep it.\n", "why").unwrap();
    assert_ne!(other.name, kept.name);
}

#[test]
fn reason_is_required() {
    let place = Place::new();
    for reason in ["", " \n\t"] {
        let error = place.propose_as(&ada(), DIFF, reason).unwrap_err();
        assert_eq!(error.code, codes::PROPOSAL_INVALID, "{error}");
        assert!(error.message.contains("no reason is given"), "{error}");
    }
}

/// One that was kept without its package is shown, and changes nothing.
#[test]
fn unchecked_proposal_is_not_accepted() {
    let place = Place::new();
    let base = prowess_core::Digest::of(&place.files()["SKILL.md"].content);
    let (time, evidence) = (Timestamp(1_790_000_000_000), None);
    let proposal =
        Proposal { skill: "pdf", base, diff: DIFF, justification: "why", evidence, time };
    place.proposals.submit(&proposal).unwrap();
    let error = place.accept(true).unwrap_err();
    assert!(error.message.contains("it names no package"), "{error}");
}
