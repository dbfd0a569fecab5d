//! An agent proposes a change of a skill over MCP, a person reviews it, and its history has it.

use prowess_testkit::rows;
use std::fs;
use std::path::Path;

use prowess::governance::{
    FileProposals, ProposalPolicy, Review, SkillPackage, StoredProposal, review_codes,
};
use prowess::{Actor, Catalog, ReviewStep, Timestamp};
use prowess_testkit::Tree;
use serde_json::{Value, json};

use crate::program::{Program, Ran};
use crate::serve::{Client, block_on, code, words};

const SKILL: &str = "---\nname: pdf\ndescription: Fills forms.\n---\n# Forms\n\nRun `fil.py`.\n";

const DIFF: &str = include_str!("../data/proposal.diff");

/// A home with a skill and a configuration that keeps proposals and an audit log.
pub(crate) struct Desk {
    pub(crate) tree: Tree,
}

impl Desk {
    pub(crate) fn new() -> Self {
        Self::of(&Self::configuration(&json!({})))
    }

    fn configuration(audience: &Value) -> Value {
        // A relative path starts at the configuration.
        json!({
            "proposals": { "directory": "proposals" }, "audit": { "log": "keep" },
            "registry": { "profile": "spec" }, "audience": audience,
        })
    }

    fn of(configuration: &Value) -> Self {
        let tree = Tree::new("//- /home/x\n");
        tree.write("skills/pdf/SKILL.md", SKILL);
        tree.write("config.yaml", configuration.to_string());
        Self { tree }
    }

    pub(crate) fn program(&self) -> Program {
        self.at_home().root("user", &self.tree.join("skills"))
    }

    /// Returns a program with the skills of its home.
    fn at_home(&self) -> Program {
        let program = Program::new().at_home_in(&self.tree.join("home"));
        program.config(&self.tree.join("config.yaml"))
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        self.program().run(arguments)
    }

    fn json(&self, arguments: &[&str]) -> Value {
        self.run(&[arguments, &["--format", "json"]].concat()).json()
    }

    fn failure(&self, arguments: &[&str]) -> (Option<i32>, String) {
        let ran = self.run(&[arguments, &["--format", "json"]].concat());
        (ran.code, ran.error()["code"].as_str().unwrap_or_default().to_owned())
    }

    pub(crate) fn text(&self) -> String {
        fs::read_to_string(self.tree.join("skills/pdf/SKILL.md")).unwrap()
    }

    /// Proposes a change of the first skill as an agent of this name.
    pub(crate) fn propose(&self, agent: &str, diff: &str) -> StoredProposal {
        self.propose_in("skills/pdf", agent, diff)
    }

    fn propose_in(&self, package: &str, agent: &str, diff: &str) -> StoredProposal {
        use prowess::{Digest, Proposal, ProposalStore as _, ProposedPackage};
        let proposals = self.proposals(&[]);
        let package = SkillPackage::new(&self.tree.join(package)).unwrap();
        let (location, files) = (package.path(), package.files().unwrap());
        let proposal = Proposal {
            skill: location.file_name().unwrap().to_str().unwrap(),
            base: Digest::of(&files["SKILL.md"].content),
            diff,
            justification: "It was wrong.",
            evidence: None,
            time: Timestamp(1_790_000_000_000),
        };
        let package = ProposedPackage {
            location: &location.to_string_lossy(),
            file: "SKILL.md",
            files: &files,
            proposer: &Actor::Agent(agent.to_owned()),
            session: None,
            catalog: &Catalog::empty(),
        };
        let name = proposals.submit_checked(&proposal, &package).unwrap().name;
        let waiting = proposals.waiting().unwrap().into_iter().map(Result::unwrap);
        waiting.into_iter().find(|proposal| proposal.name == name).unwrap()
    }

    pub(crate) fn proposals(&self, reviewers: &[&str]) -> FileProposals {
        let reviewers = reviewers.iter().map(|name| (*name).to_owned()).collect();
        let policy = ProposalPolicy { reviewers, ..ProposalPolicy::default() };
        FileProposals::new(self.tree.join("proposals"), policy)
    }

    pub(crate) fn package(&self) -> SkillPackage {
        SkillPackage::new(&self.tree.join("skills/pdf")).unwrap()
    }
}

#[test]
fn skill_improves_and_returns() {
    block_on(async {
        let desk = Desk::new();
        let client = Client::of(desk.program()).await;
        let load = || client.call("skills_load", json!({ "names": ["pdf"] }));
        assert!(words(&load().await).contains("Run `fil.py`."));
        let propose = |diff: &str| {
            let proposal = json!({
                "skill_id": "pdf", "diff": diff, "justification": "The script has another name.",
                "evidence": "sh: 1: fil.py: not found",
            });
            client.call("propose_skill_update", proposal)
        };
        let wrong = propose("-Run `file.py`.\n+Run `fill.py`.\n").await;
        assert_eq!(code(&wrong), Some("proposal-conflict"), "{}", words(&wrong));
        let broken = propose("-name: pdf\n+name: PDF!\n").await;
        assert_eq!(code(&broken), Some("proposal-invalid"), "{}", words(&broken));
        let binary = propose("diff --git a/a.png b/a.png\nGIT binary patch\nliteral 1\n").await;
        assert_eq!(code(&binary), Some("proposal-invalid"), "{}", words(&binary));
        assert!(words(&binary).contains("a file that is not text"), "{}", words(&binary));
        let proposed = words(&propose(DIFF).await);
        assert!(proposed.contains("does not change until a person accepts it"), "{proposed}");
        let again = words(&propose(DIFF).await);
        assert!(again.contains("waits already") && again.contains("was not added"), "{again}");
        assert_eq!(desk.text(), SKILL);

        let listed = desk.json(&["proposals"]);
        let [shown] = &listed["proposals"].as_array().unwrap()[..] else { panic!("{listed}") };
        let name = shown["name"].as_str().unwrap();
        let agent = shown["by"]["name"].as_str().unwrap();
        assert_eq!(shown["by"]["kind"], "agent", "{shown}");
        let digest = shown["digest"].as_str().unwrap();

        // A second client may review, and not its own.
        let second = Desk::configuration(&json!({ "agent": "second" }));
        desk.tree.write("second.yaml", second.to_string());
        let program = Program::new().at_home_in(&desk.tree.join("home"));
        let program = program.root("user", &desk.tree.join("skills"));
        let other = Client::of(program.config(&desk.tree.join("second.yaml"))).await;
        let change = "-Fills forms.\n+Fills all forms.\n".replace("Fills", "description: Fills");
        let own = json!({ "skill_id": "pdf", "diff": change, "justification": "All of them." });
        assert!(words(&other.call("propose_skill_update", own).await).contains("is written"));
        let listed = desk.json(&["proposals"])["proposals"].clone();
        let is_own = |it: &&Value| it["by"] == json!({ "kind": "agent", "name": "second" });
        let own = listed.as_array().unwrap().iter().find(is_own).unwrap().clone();
        let tools = other.service.list_all_tools().await.unwrap();
        assert!(tools.iter().all(|tool| !tool.name.contains("accept")), "no tool decides");
        for (agent, proposal) in [("second", &own), (agent, shown)] {
            let review = Review {
                proposal: proposal["name"].as_str().unwrap().to_owned(),
                digest: proposal["digest"].as_str().unwrap().parse().unwrap(),
                reviewer: Actor::Reviewer(agent.to_owned()),
                reason: None,
                at: Timestamp(1),
            };
            let (proposals, catalog) = (desk.proposals(&[agent]), Catalog::empty());
            let own = proposals.accept(&review, &desk.package(), &catalog, None).unwrap_err();
            assert_eq!(own.code, review_codes::REVIEWER_NOT_ALLOWED, "{agent}");
        }
        desk.run(&["proposals", "reject", own["name"].as_str().unwrap()]).text();
        let whole = desk.json(&["proposals", "show", "pdf"])["proposal"].clone();
        let gains = json!(["host:example.com", "interpreter:sh", "script:scripts/check.sh"]);
        assert_eq!((&whole["gains"], &whole["base_state"]), (&gains, &json!("same")));
        assert_eq!(whole["evidence"], "sh: 1: fil.py: not found\n");
        let accept = ["proposals", "accept", name];
        assert_eq!(desk.failure(&accept), (Some(2), "digest-required".to_owned()));
        let other = [&accept[..], &["--digest", "0123456789ab"]].concat();
        assert_eq!(desk.failure(&other), (Some(1), "proposal-changed".to_owned()));
        let shown = [&accept[..], &["--digest", &digest[7..19]]].concat();
        assert_eq!(desk.json(&shown)["accepted"]["state"], "accepted");
        assert_eq!(desk.failure(&shown), (Some(2), "proposal-not-found".to_owned()));

        // The session that watches reads it in one of its next turns.
        while !words(&load().await).contains("then `fill.py`.") {
            tokio::task::yield_now().await;
        }
        let versions = desk.json(&["history", "pdf"])["versions"].clone();
        let word = |at: usize| versions[at]["action"].as_str().unwrap().to_owned();
        assert_eq!([word(0), word(1)], ["accepted", "found"], "{versions}");
        assert_eq!(versions[0]["proposal"], name);
        assert_eq!(versions[0]["is_current"], true);
        assert_eq!(versions[0]["reason"], "The script has another name.");
        let diff = desk.json(&["history", "diff", "pdf", "1", "2"])["diff"].clone();
        assert!(diff.as_str().unwrap().contains("+#!/bin/sh"), "{diff}");

        desk.run(&["restore", "pdf", "1", "--reason", "It reaches a host."]).text();
        assert_eq!(desk.text(), SKILL);
        assert!(!desk.tree.join("skills/pdf/scripts/check.sh").exists());
        let versions = desk.json(&["history", "pdf"])["versions"].clone();
        let [action, number] = ["action", "number"].map(|key| versions[0][key].to_string());
        assert_eq!((&*action, &*number), ("\"restored\"", "3"));
        let story = desk.program().run(&["audit", "show"]);
        let sessions = desk.json(&["audit", "show"])["sessions"].clone();
        let texts = |session: &Value| session["lines"].to_string();
        let session = sessions.as_array().unwrap().iter().find(|it| texts(it).contains(name));
        let texts = texts(session.unwrap());
        for step in
            ["propose_skill_update pdf in pdf: done", "proposed by agent", "accepted by", "applied"]
        {
            assert!(texts.contains(step), "the session has its proposal: {step}: {texts}");
        }
        for part in [
            format!(", agent `{agent}`"),
            format!("proposal {name} for pdf proposed by agent `{agent}`"),
            format!("proposal {name} for pdf accepted by"),
            format!("proposal {name} for pdf applied by"),
            "pdf restored by".to_owned(),
            "It reaches a host.".to_owned(),
        ] {
            assert!(story.text().contains(&part), "{part}: {}", story.text());
        }
    });
}

#[test]
fn decisions_of_people() {
    let desk = Desk::new();
    desk.run(&["proposals"]).text();
    let log = desk.tree.join("home/.local/state/prowess/audit.jsonl");
    assert!(!log.exists(), "a list opens no audit log");
    let propose = |reason: &str, diff: &str| {
        let program = desk.program().with_input(diff);
        program.run(&["propose", "pdf", "--reason", reason])
    };
    let reason = format!("A{}typo.", " ".repeat(300));
    let proposed = propose(&reason, "-Run `fil.py`.\n+Run `fill.py`.\n");
    let name = proposed.text().trim().trim_start_matches("proposed: ").to_owned();
    let digest = desk.json(&["proposals"])["proposals"][0]["digest"].as_str().unwrap().to_owned();
    let accept = ["proposals", "accept", &name, "--digest", &digest];
    assert_eq!(desk.failure(&accept), (Some(1), "reviewer-not-allowed".to_owned()));
    for command in [&["proposals"][..], &["proposals", "show", &name]] {
        let shown = desk.run(command);
        assert!(shown.text().contains("A[300 × U+0020]typo."), "{command:?}: {}", shown.stdout);
    }
    let withdraw = ["proposals", "withdraw", &name, "--reason", "Not needed."];
    assert_eq!(desk.json(&withdraw)["withdrawn"]["reason"], "Not needed.");
    assert_eq!(desk.run(&["proposals"]).text(), "no proposal waits for a review\n");

    // Two proposals for one line: the first one wins, and the other is a conflict.
    let first = desk.propose("one", "-Run `fil.py`.\n+Run `fill.py`.\n");
    let second = desk.propose("two", "-Run `fil.py`.\n+Run `form.py`.\n");
    let now = |name: &str| {
        let whole = desk.json(&["proposals", "show", name])["proposal"].clone();
        whole["now"].as_str().unwrap_or("0123456789ab").to_owned()
    };
    let onto = |proposal: &StoredProposal, now: &str| {
        let (name, digest) = (proposal.name.clone(), proposal.digest.to_string());
        desk.run(&["proposals", "accept", &name, "--digest", &digest, "--rebase", now])
    };
    // Elsewhere in the skill, so the change still fits what was seen, and nothing else.
    desk.tree.write("skills/pdf/seen.md", "");
    let seen = now(&first.name);
    let shown = desk.run(&["proposals", "show", &first.name]);
    assert!(shown.text().contains(&format!("(`--rebase {}`)", &seen[7..19])), "{}", shown.stdout);
    desk.tree.write("skills/pdf/not-seen.md", "");
    let refused = onto(&first, &seen);
    assert!(refused.stderr.contains("the skill has changed since it was shown"), "{refused:?}");
    let seen = now(&first.name);
    onto(&first, &seen).text();
    // As a program that was killed behind the change leaves it: the same command ends it.
    let [waits, decided] = ["", "decided/"].map(|it| format!("proposals/{it}{}", first.name));
    fs::rename(desk.tree.join(&decided), desk.tree.join(&waits)).unwrap();
    let again = onto(&first, &seen);
    assert!(again.stderr.contains(" already, and the skill has changed"), "{again:?}");
    let shown = desk.run(&["proposals", "show", &first.name]);
    for part in
        ["  accepted\n", "pdf, accepted 20", "proposed 20", "+Run `fill.py`.", "It was wrong."]
    {
        assert!(shown.text().contains(part), "{part}: {}", shown.stdout);
    }
    assert_eq!(desk.json(&["proposals", "show", &first.name])["proposal"]["base_state"], "decided");
    let files = desk.package().files().unwrap();
    let conflict = onto(&second, &prowess::governance::package_digest(&files).to_string());
    assert_eq!(conflict.code, Some(1));
    for part in ["now:", "Run `fill.py`.", "proposed for:", "Run `fil.py`.", "Run `form.py`."] {
        assert!(conflict.stderr.contains(part), "{part}: {}", conflict.stderr);
    }
    let whole = desk.json(&["proposals", "show", &second.name])["proposal"].clone();
    assert_eq!(whole["base_state"], "conflict");
    assert_eq!(whole["conflicts"][0]["now"], json!(["---", "# Forms", "", "Run `fill.py`."]));
    desk.run(&["proposals", "reject", &second.name]).text();
    let all = desk.json(&["proposals", "list", "--all"])["proposals"].clone();
    let states = all.as_array().unwrap().iter().map(|it| it["state"].as_str().unwrap());
    let mut states: Vec<_> = states.collect();
    states.sort_unstable();
    assert_eq!(states, ["accepted", "rejected", "withdrawn"]);
    let unknown = desk.failure(&["history", "diff", "pdf", "9"]);
    assert_eq!(unknown, (Some(2), "version-not-found".into()));
}

#[test]
fn installs_updates_and_returns_are_versions() {
    let desk = Desk::new();
    let source = desk.tree.join("source");
    let write = |text: &str| {
        desk.tree.write("source/notes/SKILL.md", crate::plain_skill("notes") + text);
    };
    let home = || Program::new().at_home_in(&desk.tree.join("home"));
    write("One.\n");
    home().run(&["add", source.to_str().unwrap()]).text();
    write("Two.\n");
    home().run(&["update", "--user"]).text();
    let versions = || {
        let listed = home().run(&["history", "notes", "--format", "json"]).json();
        let versions = listed["versions"].as_array().unwrap().clone();
        versions.iter().map(|it| it["action"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(versions(), ["updated", "installed"]);
    let diff = home().run(&["diff", "notes", "1", "2"]);
    assert!(diff.text().contains("-One.\n+Two.\n"), "{}", diff.stdout);
    home().run(&["history", "restore", "notes", "1", "--reason", "It breaks."]).text();
    assert!(home().run(&["history", "notes"]).text().contains("It breaks."), "who, and why");
    assert_eq!(versions(), ["returned", "updated", "installed"]);
    home().run(&["remove", "notes", "--user"]).text();
    assert_eq!(versions(), ["removed", "returned", "updated", "installed"]);
    home().run(&["restore", "notes", "2"]).text();
    assert_eq!(versions()[0], "returned");
}

/// Nobody could accept a change of a copy, or of what a link leads to: the next update has neither.
#[test]
fn placed_skill_is_changed_at_its_source() {
    let desk = Desk::new();
    desk.tree.write("source/notes/SKILL.md", crate::plain_skill("notes"));
    let [source, into] = ["source", "home/.claude/skills"].map(|it| desk.tree.join(it));
    let [source, into] = [&source, &into].map(|it| it.to_str().unwrap());
    let home = || Program::new().at_home_in(&desk.tree.join("home"));
    home().run(&["trust", "--source", source]).text();
    for form in ["--copy", "--link"] {
        home().run(&["add", source, form, "--into", into]).text();
        let change = json!({
            "skill_id": "notes", "diff": "-name: notes\n+name: notes\n+license: MIT\n",
            "justification": "None is named.",
        });
        let refused = desk.at_home().run(&["call", "propose_skill_update", &change.to_string()]);
        let all = refused.stdout + &refused.stderr;
        assert!(all.contains("its source has the files to change; tell the user"), "{form}: {all}");
        home().run(&["remove", "notes", "--user"]).text();
    }
}

#[test]
fn reviewers_are_notified_once() {
    let desk = Desk::new();
    let received = desk.tree.join("received");
    let script = format!("cat >> '{}'", received.display());
    let watch = |command: &[&str]| {
        desk.run(&[&["proposals", "watch", "--once", "--"], command].concat()).code
    };
    desk.propose("agent", "-Run `fil.py`.\n+Run `fill.py`.\n");
    assert_eq!(watch(&["/nonexistent"]), Some(1), "it is repeated later");
    let proposals = desk.proposals(&[]);
    let held = proposals.channel("/nonexistent").unwrap();
    let second = desk.run(&["proposals", "watch", "--once", "--", "/nonexistent"]);
    assert_eq!(second.code, Some(0), "the first one delivers");
    assert!(second.stderr.contains("another program delivers"), "{}", second.stderr);
    drop(held);
    for note in fs::read_dir(desk.tree.join("proposals/notified")).unwrap() {
        fs::write(note.unwrap().path(), "{").unwrap();
    }
    let damaged = desk.run(&["proposals", "watch", "--once", "--", "/nonexistent"]);
    assert!(damaged.stderr.contains("warning[delivery-notes-damaged]"), "{}", damaged.stderr);
    for _ in 0..2 {
        assert_eq!(watch(&["sh", "-c", &script]), Some(0));
    }
    let lines = fs::read_to_string(&received).unwrap();
    let lines: Vec<Value> = lines.lines().map(|it| serde_json::from_str(it).unwrap()).collect();
    assert_eq!(lines.len(), 1, "each is delivered once");
    let agent = json!({ "kind": "agent", "name": "agent" });
    assert_eq!((&lines[0]["skill"], &lines[0]["proposer"]), (&json!("pdf"), &agent));
}

/// A reviewer sees where a proposal leads, and what else comes of it.
#[test]
fn review_says_what_changes() {
    let desk = Desk::of(&json!({ "proposals": { "directory": "proposals" } }));
    for name in ["pdf", "xls"] {
        let file = format!("home/.agents/skills/{name}/SKILL.md");
        desk.tree.write(&file, SKILL.replace("pdf", name));
    }
    let propose = |arguments: &[&str], diff: &str| {
        desk.at_home().with_input(diff).run(&[&["propose"], arguments].concat())
    };
    let rename = |to: &str| format!("-name: pdf\n+name: {to}\n");
    // A skill among the files of another is not that other.
    let nested = "--- /dev/null\n+++ b/examples/SKILL.md\n@@\n+---\n+name: pdf\n+description: A\n\
        +---\n";
    for (taken, more) in [("xls", ""), ("prowess-usage", ""), ("xls", nested)] {
        let refused = propose(&["pdf", "--reason", "A typo."], &(rename(taken) + more));
        let message = format!("the id would change from `pdf` to `{taken}`, which another skill");
        assert!(refused.stderr.contains(&message), "{}", refused.stderr);
    }
    let blank = propose(&["pdf", "--reason", " "], "-Run `fil.py`.\n+Run `fill.py`.\n");
    assert!(blank.stderr.contains("no reason is given"), "{}", blank.stderr);
    let script = "diff --git a/go.sh b/go.sh\nnew file mode 100755\n--- /dev/null\n\
        +++ b/go.sh\n@@\n+#!/bin/sh\n";
    // More than a lock file lists: none is left out where a person decides.
    let hosts: String = (0..600).map(|host| format!("+# https://h{host}.example.com\n")).collect();
    let change = rename("forms") + "@@\n Run `fil.py`.\n+See [it](gone.md).\n" + script + &hosts;
    propose(&["user:pdf", "--reason", "A typo."], &change).text();
    let again = propose(&["pdf", "--reason", "Another."], &change);
    assert!(again.text().contains("waits already"), "{}", again.stdout);
    let listed = desk.at_home().run(&["proposals"]);
    assert!(listed.stderr.contains("no audit log has these steps"), "{}", listed.stderr);
    let shown = desk.at_home().run(&["proposals", "show", "pdf"]);
    for [part] in rows(include_str!("../data/tables.txt"), "review_says_what_changes") {
        let part = &*part;
        assert!(shown.text().contains(part), "{part}: {}", shown.stdout);
    }
    assert!(shown.stdout.contains("  SKILL.md:") && !shown.stdout.contains("memory:"));
    assert_eq!(shown.stdout.matches("gains    host:h").count(), 600, "{}", shown.stdout);
    let proposals = desk.tree.join("proposals");
    let name = entries(&proposals).into_iter().find(|it| it.ends_with(".md")).unwrap();
    fs::write(proposals.join(&name), "changed").unwrap();
    assert_eq!(desk.failure(&["proposals", "reject", "pdf"]).1, "proposal-not-found");
    let listed = desk.json(&["proposals"])["proposals"][0].clone();
    assert_eq!((&listed["state"], &listed["name"]), (&json!("tampered"), &json!(name)));
    let whole = desk.json(&["proposals", "show", &name])["proposal"].clone();
    assert_eq!((&whole["base_state"], &whole["digest"]), (&json!("tampered"), &listed["digest"]));
    assert_eq!(desk.failure(&["proposals", "accept", &name]).1, "proposal-tampered");
    assert!(desk.run(&["doctor"]).stdout.contains("proposal-tampered"));
    assert_eq!(desk.json(&["proposals", "reject", &name])["rejected"]["skill"], "pdf");
    assert_eq!(desk.run(&["proposals"]).text(), "no proposal waits for a review\n");
    // A file that no archive may have, or that is too large, hides nothing of what the others do.
    let pdf = |file: &str| format!("home/.agents/skills/pdf/{file}");
    desk.tree.write(&pdf("a.sh"), "curl https://evil.example\n");
    desk.tree.write(&pdf("aux.md"), "");
    let value = desk.at_home().run(&["show", "pdf", "--format", "json"]).json();
    assert_eq!(value["surface"], json!(["host:evil.example", "script:a.sh"]));
    fs::File::create(desk.tree.join(&pdf("b"))).unwrap().set_len(65 << 20).unwrap();
    let value = desk.at_home().run(&["show", "pdf"]);
    assert!(value.text().contains("surface  not known: "), "{}", value.stdout);
}

/// One skill in two checkouts, with one directory of proposals.
#[test]
fn another_checkout_keeps_its_skill() {
    let desk = Desk::new();
    let proposal = desk.propose("one", "-Run `fil.py`.\n+Run `fill.py`.\n");
    let digest = proposal.digest.to_string();
    desk.tree.write("other/pdf/SKILL.md", SKILL);
    let other = desk.tree.join("other");
    let run = |arguments: &[&str]| desk.at_home().root("user", &other).run(arguments);
    let [own, gone] = ["pdf", "gone"].map(|name| desk.tree.join("skills").join(name));
    let accept = ["proposals", "accept", "pdf", "--digest", &digest];
    fs::rename(&own, &gone).unwrap();
    for refused in [run(&["proposals", "show", "pdf"]).stdout, run(&accept).stderr] {
        assert!(refused.contains("it is for the package"), "{refused}");
        assert!(!refused.contains("Changed since"), "it is not compared with another: {refused}");
    }
    fs::rename(&gone, &own).unwrap();
    let shown = run(&["proposals", "show", "pdf"]);
    assert!(shown.text().contains("is as it was proposed for"), "{}", shown.stdout);
    run(&accept).text();
    let text = fs::read_to_string(other.join("pdf/SKILL.md")).unwrap();
    assert_eq!((&*text, desk.text() == SKILL), (SKILL, false), "its own skill has changed");
}

/// A review is bound to files: a decision on exactly the next ones extends it, and no other does.
#[test]
fn reviewed_skill_of_an_agent_stays_reviewed() {
    let discovery = json!({ "roots": { "agents": ["~/written"] } });
    let configuration =
        json!({ "proposals": { "directory": "proposals" }, "discovery": discovery });
    let desk = Desk::of(&configuration);
    // `trust` reads the file of the user alone.
    desk.tree.write("home/.config/prowess/config.yaml", configuration.to_string());
    let run = |arguments: &[&str]| desk.at_home().run(arguments);
    let change = |from: &str, to: &str| {
        let diff = format!("-{from}\n+{to}\n");
        let proposal = desk.propose_in("home/written/notes", "one", &diff);
        let digest = proposal.digest.to_string();
        let accepted = run(&["proposals", "accept", "notes", "--digest", &digest]);
        accepted.text();
        accepted.stderr
    };
    let is_offered = |id: &str| {
        let listed = run(&["list", "--format", "json"]).json();
        let mut skills = listed["skills"].as_array().unwrap().iter();
        skills.any(|skill| skill["id"] == id && skill["state"] == "visible")
    };
    desk.tree.write("home/written/notes/SKILL.md", SKILL.replace("pdf", "notes"));
    let said = change("Run `fil.py`.", "Run `a.py`.");
    assert!(!is_offered("notes"), "its files were not reviewed before");
    let trust = said.split('`').find(|it| it.contains("trust --skill")).unwrap();
    let words: Vec<_> = trust.split_whitespace().skip(1).collect();
    Program::new().at_home_in(&desk.tree.join("home")).run(&words).text();
    assert!(is_offered("notes"));
    assert_eq!(change("Run `a.py`.", "Run `b.py`."), "");
    assert!(is_offered("notes"), "the person has decided on these files");
    assert_eq!(change("name: notes", "name: memo"), "");
    assert_eq!(change("Run `b.py`.", "Run `c.py`."), "", "its package has another id now");
    assert!(is_offered("memo"), "under its new id, too");
    let restore = |number: &str| run(&["history", "restore", "memo", number]).stderr;
    // Version 4 has the id of the last review, and 2 was reviewed under another one.
    assert_eq!(restore("4"), "");
    assert!(is_offered("memo"), "these files were reviewed");
    desk.tree.write("home/written/notes/new.md", "More.");
    assert!(!is_offered("memo"));
    change("Run `b.py`.", "Run `d.py`.");
    assert!(restore("7").contains("the skill stays hidden"), "these files never were");
    assert!(!is_offered("memo"));
}

#[test]
fn webhook_needs_a_feature_a_secret_and_a_public_host() {
    let desk = Desk::new();
    let has_http = cfg!(feature = "remotes");
    for row in rows(
        include_str!("../data/tables.txt"),
        "webhook_needs_a_feature_a_secret_and_a_public_host",
    ) {
        let [url, secret, code] = row.each_ref().map(String::as_str);
        let program = desk.program().variable("PROWESS_WEBHOOK_SECRET", secret);
        let arguments = ["proposals", "watch", "--once", "--webhook", url, "--format", "json"];
        let ran = program.run(&arguments);
        let code = if has_http { code } else { "feature-missing" };
        assert_eq!((ran.code, &ran.error()["code"]), (Some(2), &json!(code)), "{url} {secret}");
    }
}

/// Returns whether a decision of this kind is the last one.
pub(crate) fn is_decided(desk: &Desk, step: ReviewStep) -> bool {
    let decided = desk.proposals(&[]).decided("", usize::MAX).unwrap();
    decided.last().is_some_and(|(_, decision)| decision.step == step)
}

/// Returns the entries of a directory, sorted.
pub(crate) fn entries(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort_unstable();
    names
}
