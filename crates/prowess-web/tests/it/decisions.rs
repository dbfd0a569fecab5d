//! Decisions, and those on what has changed.

use prowess_testkit::rows;
use prowess_web::Decision;

use crate::fixture::{Answer, Memory, Server, memory, proposal};

#[test]
fn decision_leads_back_to_the_page() {
    for (choice, state) in [("once", "granted"), ("deny", "denied")] {
        let server = Server::start(memory());
        let form = server.get("/approval?id=a1").form();
        let answer = server.post("/approval", &format!("{form}decision={choice}"));
        assert_eq!((answer.status(), answer.header("location")), (303, Some("./approval?id=a1")));
        assert_eq!(server.memory.approval.lock().unwrap()["state"], state);
    }
    let server = Server::start(memory());
    let page = server.get("/trust");
    assert!(page.body().contains("2026 current in sources since &quot;2025"), "{page:?}");
    assert!(page.body().contains("auto@sha256:11"), "{page:?}");
    let form = page.form() + "decision=distrust";
    assert_eq!(server.post("/trust", &form).header("location"), Some("./trust"));
    assert_eq!(*server.memory.decided.lock().unwrap(), ["Distrust(\"/home/a b\")"]);
}

#[test]
fn stale_decision_is_refused_with_the_difference() {
    let server = Server::start(memory());
    server.memory.approval.lock().unwrap()["preview"] = ("x".repeat(100) + "1").into();
    let form = server.get("/approval?id=a1").form() + "decision=once";
    server.memory.approval.lock().unwrap()["number"] = 9.into();
    server.memory.approval.lock().unwrap()["package"] = "sha256:ff".into();
    server.memory.approval.lock().unwrap()["preview"] = ("x".repeat(100) + "2").into();
    let answer = server.post("/approval", &form);
    assert_eq!(answer.status(), 409, "{answer:?}");
    let parts = ["<td>sha256:00</td><td>sha256:ff</td>", "href=\"./approval?id=a1\"", ">preview<"];
    for part in parts {
        assert!(answer.body().contains(part), "{answer:?}");
    }
    assert!(!answer.body().contains(">number<"), "a new number is no change");
    assert_eq!(*server.memory.decided.lock().unwrap(), [""; 0], "nothing was decided");
    let fresh = server.get("/approval?id=a1").form() + "decision=once";
    assert_eq!(server.post("/approval", &fresh).status(), 303, "it is decided as it is now");
    assert_eq!(server.post("/approval", &fresh).status(), 409, "once");
}

#[test]
fn lost_race_is_stale() {
    let server = Server::start(Memory { is_raced: true, ..memory() });
    let form = server.get("/approval?id=a1").form() + "decision=once";
    let answer = server.post("/approval", &form);
    assert_eq!(answer.status(), 409);
    assert!(answer.body().contains("<td>pending</td><td>denied</td>"), "{answer:?}");
}

#[test]
fn proposal_is_decided_on_by_what_was_shown() {
    let (name, digest, reason) = ("p1", "sha256:22", Some("it is so"));
    for (base, choice, made) in [
        ("same", "accept", Decision::Accept { name, digest, rebase: None, reason }),
        ("moved", "rebase", Decision::Accept { name, digest, rebase: Some("sha256:33"), reason }),
        ("conflict", "reject", Decision::Reject(name, reason)),
        ("tampered", "reject", Decision::Reject(name, reason)),
    ] {
        let server = Server::start(memory());
        let set = |diff| *server.memory.proposal.lock().unwrap() = proposal(diff, base);
        set("-old word\n+new word\n");
        let page = server.get("/proposal?id=p1");
        let lines = "<del>-<mark>old</mark> word\n</del><ins>+<mark>new</mark> word\n</ins>";
        assert!(page.body().contains(lines), "{page:?}");
        assert!(page.body().contains("x\ntool:Bash\n</pre>"), "the last gain is shown: {page:?}");
        let choices = ["accept", "rebase", "reject"];
        let offered = choices.map(|it| page.body().contains(&format!("value=\"{it}\"")));
        assert_eq!(offered, ["same" == base, "moved" == base, true], "{base}");
        let form = page.form() + "reason=it+is+so&decision=" + choice;
        set("-old word\n+another word\n");
        server.memory.proposal.lock().unwrap()["moved"] =
            "--- a/x.sh\n+++ b/x.sh\n@@\n+evil\n".into();
        let stale = server.post("/proposal", &form);
        assert_eq!(stale.status(), 409, "{base}: it has changed");
        let kept = "Your reason: it is so";
        for part in ["<ins>+evil\n</ins>", "--- a/x.sh\n", "href=\"./proposal?id=p1\"", kept] {
            assert!(stale.body().contains(part), "{part}: {stale:?}");
        }
        set("-old word\n+new word\n");
        let decision =
            serde_json::json!({ "state": "accepted", "by": { "kind": "person", "name": "ada" } });
        server.memory.proposal.lock().unwrap()["base_state"] = "decided".into();
        server.memory.proposal.lock().unwrap()["decision"] = decision;
        let decided = server.get("/proposal?id=p1");
        let is_shown = decided.body().contains("accepted</span>") && decided.body().contains(lines);
        assert!(is_shown && !decided.body().contains("method=\"post\""), "{decided:?}");
        set("-old word\n+new word\n");
        let answer = server.post("/proposal", &form);
        assert_eq!(answer.header("location"), Some("./proposal?id=p1"), "{answer:?}");
        assert_eq!(*server.memory.decided.lock().unwrap(), [format!("{made:?}")]);
    }
}

/// The three texts of a conflict, each under its heading; a reason that looks like evidence or like
/// the change is neither.
#[test]
fn parts_of_a_proposal_are_apart() {
    let server = Server::start(memory());
    let mut entry = proposal("--- a/x\n+++ b/x\n@@\n--- a\n+-- b\n", "conflict");
    entry["justification"] = "typo\n\nEvidence:\n+seen by carol\n".into();
    entry["conflicts"] = serde_json::json!([{
        "path": "x", "hunk": 2, "reason": "other lines", "base": ["one"], "proposed": ["two"],
        "now": [],
    }]);
    *server.memory.proposal.lock().unwrap() = entry;
    let page = server.get("/proposal?id=p1");
    for [part] in rows(include_str!("../data/tables.txt"), "parts_of_a_proposal_are_apart") {
        let part = &*part;
        assert!(page.body().contains(part), "{part}: {page:?}");
    }
    assert!(!page.body().contains("<h2>Evidence"), "there is none: {page:?}");
}

#[test]
fn rule_against_a_decision_is_said_before_it() {
    let server = Server::start(memory());
    server.memory.proposal.lock().unwrap()["barred"] = "its proposer cannot review it".into();
    let page = server.get("/proposal?id=p1");
    assert!(page.body().contains("You may not decide on it: its proposer cannot"), "{page:?}");
    assert!(!page.body().contains("value=\"reject\""), "{page:?}");
    let withdrawn = page.form() + "reason=&decision=withdraw";
    assert_eq!(server.post("/proposal", &withdrawn).status(), 303);
    assert_eq!(*server.memory.decided.lock().unwrap(), ["Withdraw(\"p1\", None)"]);
}

/// A skill of an agent is offered with the files that were shown, where they end.
#[test]
fn skill_of_an_agent_is_reviewed() {
    let server = Server::start(memory());
    let page = server.get("/skill?id=pdf");
    assert!(page.body().contains("<ins>+exit\n</ins>"), "{page:?}");
    let form = page.form() + "decision=trust";
    assert_eq!(server.post("/skill", &form.replace("digest=", "digest=0")).status(), 409);
    assert_eq!(server.post("/skill", &form).header("location"), Some("./skill?id=pdf"));
    assert_eq!(*server.memory.decided.lock().unwrap(), ["Trust(\"pdf@sha256:12\")"]);
}

#[test]
fn what_is_gone_is_said() {
    let server = Server::start(memory());
    let form = server.get("/trust").form() + "decision=distrust";
    let form = form.replace("/home/a", "/home/b");
    let answer = server.post("/trust", &form);
    assert_eq!(answer.status(), 409);
    assert!(answer.body().contains("<p>It is gone.</p>"), "{answer:?}");
}

#[test]
fn decision_is_offered_where_the_text_ends() {
    let lines: String = (0..900).map(|at| format!("-old <é {at}\n+new <é {at}\n")).collect();
    for text in [lines, "+".to_owned() + &"<é".repeat(9_000)] {
        let server = Server::start(memory());
        server.memory.approval.lock().unwrap()["preview"] = text.clone().into();
        *server.memory.proposal.lock().unwrap() = proposal(&text, "same");
        for path in ["/approval?id=a1", "/proposal?id=p1"] {
            let mut parts = server.parts(path);
            let shown = parts.iter().map(|part| part.body().matches('é').count());
            assert_eq!(shown.sum::<usize>(), text.matches('é').count(), "all of it is there once");
            assert!(parts.len() > 2, "{path} has {} parts", parts.len());
            let is_offered = |part: Answer| {
                ["once", "accept"].iter().any(|it| part.body().contains(&format!("value=\"{it}\"")))
            };
            let form = parts[0].body().contains("value=\"reject\"");
            assert_eq!(form, path == "/proposal?id=p1", "to reject needs no reading");
            assert!(parts.pop().is_some_and(is_offered), "{path}: behind its end");
            assert!(!parts.into_iter().any(is_offered), "{path}: not before its end");
            let behind = server.get(&format!("{path}&from=999999999"));
            assert!(!is_offered(behind), "{path}: nothing is behind the end");
        }
    }
}
