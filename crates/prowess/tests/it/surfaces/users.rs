//! Skills that a user activates, and the directories of loaded skills.

use prowess::{Policies, Record};

use super::Place;

#[test]
fn users_activate_skills_by_name() {
    for (preset, tool) in
        [("standard", "skills_load"), ("omniforge", "skill"), ("yodoca", "read_skill")]
    {
        let place = Place::of(preset);
        let open = || {
            let session = place.runtime.open_session().expect("memory takes another session");
            place.runtime.turn(&session).expect("the session is open")
        };
        let turn = open();
        for message in ["/code-review the last commit", " $code-review\nthe last commit"] {
            let turn = open();
            let (call, rest) = turn.explicit_activation(message).expect("it names a skill");
            assert_eq!((&*call.name, rest), (tool, "the last commit"), "{preset}");
            assert!(!turn.call_as_user(&call).result.is_error, "{preset}: {call:?}");
        }
        for message in ["/etc/passwd is a file", "$5 please", "code-review", "", "/", "/unknown x"]
        {
            assert_eq!(turn.explicit_activation(message), None, "{message:?} is a message");
        }
        let ids = |prefix| {
            let found = turn.completions(prefix, 10);
            found.iter().map(|record| record.id().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(ids(""), ["code-review", "test-skill"]);
        assert_eq!(ids("Test"), ["test-skill"]);
        assert_eq!(turn.completions("", 1).len(), 1);
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
    let session = place.runtime.open_session().expect("memory takes another session");
    let turn = place.runtime.turn(&session).expect("the session is open");
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
    let session = place.runtime.open_session().expect("memory takes another session");
    let turn = place.runtime.turn(&session).expect("the session is open");
    assert!(turn.skill_directories().expect("the session is open").is_empty());
    let (call, _) = turn.explicit_activation("/code-review").expect("it is a skill");
    turn.call_as_user(&call);
    let directories = turn.skill_directories().expect("the session is open");
    assert_eq!(directories, [place.tree.join("skills/code-review")]);
}
