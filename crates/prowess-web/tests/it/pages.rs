//! Each page: its value, its headers, its size.

use std::collections::BTreeSet;

use prowess_web::{Desk as _, PAGE_BYTES, View};

use crate::fixture::{Memory, PATHS, Server, memory, skill};

#[test]
fn page_is_small_and_has_no_script() {
    let server = Server::start(memory());
    for path in PATHS.split(' ') {
        let page = server.get(path);
        assert_eq!(page.status(), 200, "{path}");
        assert!(page.body().len() <= PAGE_BYTES, "{path}");
        let shape = page.shape();
        let names = shape.iter().filter_map(|element| element.split(' ').nth(1));
        let names: BTreeSet<_> = names.collect();
        for name in ["script", "style", "iframe", "img", "object", "base"] {
            assert!(!names.contains(name), "{path} has {name}");
        }
        let is_active = |element: &String| element.contains(" style") || element.contains(" on");
        assert!(!shape.iter().any(is_active), "{path} has attributes that do something");
    }
}

#[test]
fn every_answer_has_the_headers() {
    let server = Server::start(memory());
    for path in ["/", "/?format=json", "/style.css", "/none", "/approval?id=a2"] {
        let answer = server.get(path);
        let policy = answer.header("content-security-policy").expect("a policy");
        let expected = "default-src 'none'; style-src 'self'; form-action 'self'; \
                        frame-ancestors 'none'; base-uri 'none'";
        assert_eq!(policy, expected);
        let names = ["x-content-type-options", "referrer-policy", "cache-control"];
        let values = names.map(|name| answer.header(name).unwrap_or_default());
        assert_eq!(values, ["nosniff", "same-origin", "no-store"], "{path}");
    }
    assert!(server.get("/style.css").body().len() <= 6 << 10, "the style sheet is small");
}

#[test]
fn json_is_the_value_of_the_desk() {
    let server = Server::start(memory());
    for (path, view) in [
        ("/approvals?all=1", View::Approvals { all: true }),
        ("/approval?id=a1", View::Approval("a1")),
        ("/proposals", View::Proposals { all: false }),
        ("/proposal?id=p1", View::Proposal("p1")),
        ("/history?id=pdf", View::History("pdf")),
        ("/difference?id=pdf&from=1&to=2", View::Difference { id: "pdf", from: "1", to: "2" }),
        ("/skills", View::Catalog { text: "", hidden: false, layer: "", from: 0 }),
        ("/skill?id=pdf", View::Skill("pdf")),
        ("/explain?id=pdf", View::Explanation("pdf")),
        ("/audit", View::Audit { session: "", before: None }),
        ("/chain", View::Chain),
        ("/stats", View::Statistics),
        ("/health", View::Health { last: false }),
        ("/trust", View::Trust),
        ("/quarantine", View::Quarantine),
    ] {
        let value = server.memory.view(&view).expect("a value").value;
        assert_eq!(server.json(path), value, "{path}");
        let separator = if path.contains('?') { '&' } else { '?' };
        let by_query = server.get(&format!("{path}{separator}format=json"));
        assert_eq!(by_query.body().parse::<serde_json::Value>().expect("JSON"), value, "{path}");
    }
    for line in include_str!("parts.txt").lines() {
        let (path, part) = line.split_once(' ').expect("a path");
        assert!(server.get(path).body().contains(part), "{line}: {:?}", server.get(path));
    }
    for absent in ["frontmatter-missing", "errors for authors"] {
        assert!(!server.get("/health?under=/s/pdf").body().contains(absent), "{absent}");
    }
    let waiting = server.json("/");
    assert_eq!(waiting["approvals"], server.json("/approvals"));
    assert_eq!(server.json("/approval?id=a2")["error"]["code"], "approval-not-found");
    assert_eq!(server.get("/approval?id=a2").status(), 404);
    let busy = server.get("/approval?id=busy");
    assert_eq!((busy.status(), busy.header("refresh")), (503, Some("1")), "it loads again");
    assert!(busy.body().contains("In a moment") && !busy.body().contains("class=\"refusal\""));
}

#[test]
fn every_skill_is_on_one_small_page() {
    let hostile = "<\u{202e}".repeat(500);
    let skills = (0..180).map(|number| {
        let mut skill = skill(&format!("skill-{number:03}"));
        skill["description"] = hostile.clone().into();
        skill["reason"] = hostile.clone().into();
        skill
    });
    let server = Server::start(Memory { skills: skills.collect(), ..memory() });
    let found = |path: &str, start: &str| -> Vec<_> {
        let parts: String = server.parts(path).iter().map(|part| part.body().to_owned()).collect();
        parts.split(start).skip(1).map(|rest| rest["skill-".len()..][..3].to_owned()).collect()
    };
    let all: Vec<_> = (0..180).map(|number| format!("{number:03}")).collect();
    assert_eq!(found("/skills", "/skill?id="), all, "each is there once, in order");
    let files = found("/skill?id=pdf", "scripts/");
    assert_eq!(files, all, "each file of a package, too");
}
