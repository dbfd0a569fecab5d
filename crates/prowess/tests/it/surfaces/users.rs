//! Skills that a worker reads or a user activates, and the directories of loaded skills.

use prowess::{Content, Policies, Record};
use serde_json::json;

use super::{Place, texts};
use crate::scripted::Agent;

/// A worker sees the catalog, reads a skill and applies it.
#[test]
fn worker_reads_a_skill_without_loading_it() {
    let place = Place::of("yodoca");
    let mut agent = Agent::new(&place.runtime);
    let (prompt, read) = agent.succeed("read_skill", json!({ "skill_id": "code-review" }));
    assert!(prompt.contains("code-review"), "the catalog is in the prompt");
    let [Content::Text { text: head }, Content::Text { text: body }] = &read.content[..] else {
        panic!("the content is a head and a body")
    };
    let file = std::fs::read_to_string(place.tree.join("skills/code-review/SKILL.md"));
    let file = file.expect("it is there");
    let tokens = file.chars().count().div_ceil(4);
    let expected = format!(
        "Skill loaded: code-review (approx. {tokens} tokens)\n\
         This skill requires: test-skill. Load it first if you haven't already."
    );
    assert_eq!(*head, expected);
    assert!(body.contains(file.trim_end()), "the whole file is there: {body}");
    assert!(agent.active().is_empty(), "neither it nor what it requires is loaded");
    let arguments = json!({ "skill_id": "code-review", "path": "templates/report.md" });
    let resource = agent.succeed("read_skill_resource", arguments).1;
    assert_eq!(texts(&resource), "# Report\n", "the template that the skill names");
    let second = agent.succeed("read_skill", json!({ "skill_id": "test-skill" })).1;
    assert!(!texts(&second).contains("requires"), "a skill without requirements has no hint");
}

#[test]
fn users_activate_skills_by_name() {
    for (preset, tool) in
        [("standard", "skills_load"), ("omniforge", "skill"), ("yodoca", "read_skill")]
    {
        let place = Place::of(preset);
        let turn = place.turn();
        for message in ["/code-review the last commit", " $code-review\nthe last commit"] {
            let turn = place.turn();
            let (call, rest) = turn.explicit_activation(message).expect("it names a skill");
            assert_eq!((&*call.name, rest), (tool, "the last commit"), "{preset}");
            assert!(!turn.call_as_user(&call).result.is_error, "{preset}: {call:?}");
        }
        assert_eq!(turn.explicit_activation("$5 please"), None, "it is a message");
    }
}

/// A skill that is hidden from models is offered to users, and the other way around.
#[test]
fn completions_are_those_that_a_user_may_load() {
    let place = Place::with(Policies::default());
    let flags =
        [("by-user", "disable-model-invocation: true"), ("by-model", "user-invocable: false")];
    for (name, flag) in flags {
        let text = format!("---\nname: {name}\ndescription: One. Use it.\n{flag}\n---\nBody\n");
        place.tree.write(&format!("skills/{name}/SKILL.md"), text);
    }
    place.runtime.reload();
    let turn = place.turn();
    let found: Vec<_> = turn.completions("by", 10).iter().map(Record::id).collect();
    assert_eq!(found, ["by-user"]);
    let (call, _) = turn.explicit_activation("/by-user").expect("it is a skill");
    assert!(!turn.call_as_user(&call).result.is_error);
    let (call, _) = turn.explicit_activation("/by-model").expect("the call has the reason");
    assert!(turn.call_as_user(&call).result.is_error);
}

#[test]
fn directories_of_loaded_skills_may_be_read() {
    let place = Place::with(Policies::default());
    let turn = place.turn();
    assert!(turn.skill_directories().expect("the session is open").is_empty());
    let (call, _) = turn.explicit_activation("/code-review").expect("it is a skill");
    turn.call_as_user(&call);
    let directories = turn.skill_directories().expect("the session is open");
    assert_eq!(directories, [place.tree.join("skills/code-review")]);
}
