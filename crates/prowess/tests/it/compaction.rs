//! The delivery of bodies before and after the host compacts a conversation.

use prowess::session::SessionHandle;
use prowess::{
    BodyDelivery, BodyPlace, EstimatedTokens, Policies, Runtime, TokenCounter, ToolCall,
};
use prowess_testkit::Tree;
use serde_json::json;

use crate::dynamic;

/// Skills with bodies of about these numbers of tokens, in lines of 10.
const SKILLS: [(&str, usize); 8] = [
    ("one", 3_500),
    ("two", 4_000),
    ("three", 9_000),
    ("four", 4_000),
    ("five", 4_000),
    ("six", 4_000),
    ("seven", 7_000),
    ("eight", 3_000),
];

struct Place {
    _tree: Tree,
    runtime: Runtime,
    session: SessionHandle,
}

impl Place {
    fn new(bodies: BodyDelivery) -> Self {
        let tree = Tree::new("");
        for (name, tokens) in SKILLS {
            let line = format!("{name}: {}\n", "x".repeat(37 - name.len()));
            let text = format!(
                "---\nname: {name}\ndescription: {name}. Use it.\n---\n{}",
                line.repeat(tokens / 10)
            );
            tree.write(&format!("skills/{name}/SKILL.md"), text);
        }
        let runtime = dynamic::builder()
            .policies(Policies::default().with_body_delivery(bodies))
            .skills_directory("user", tree.join("skills"))
            .build()
            .expect("the layers are the standard ones");
        let session = runtime.open_session().expect("memory takes another session");
        let place = Self { _tree: tree, runtime, session };
        for (name, _) in SKILLS {
            place.load(name);
        }
        place
    }

    fn turn(&self) -> prowess::Turn {
        self.runtime.turn(&self.session).expect("the session is open")
    }

    fn load(&self, name: &str) -> String {
        let arguments = json!({ "names": [name], "mode": "add" });
        let result = self.turn().call(&ToolCall::new("skills_load", arguments)).result;
        assert!(!result.is_error, "{result:?}");
        result.texts().collect()
    }

    /// The names of the skills whose bodies are in a text, in its order.
    fn bodies_in(text: &str) -> Vec<&'static str> {
        let position = |name: &str| text.find(&format!("\n{name}: x"));
        let mut found: Vec<_> =
            SKILLS.iter().filter_map(|(name, _)| Some((position(name)?, *name))).collect();
        found.sort_unstable();
        found.into_iter().map(|(_, name)| name).collect()
    }

    fn places(&self) -> Vec<BodyPlace> {
        let state = self.session.state().expect("the session is open");
        state.ledger.iter().map(|entry| entry.body).collect()
    }
}

/// 5,000 tokens a skill and 25,000 in all, the most recently loaded first.
#[test]
fn results_are_delivered_again_within_the_budget() {
    let place = Place::new(BodyDelivery::ToolResult);
    assert_eq!(Place::bodies_in(&place.turn().prompt().text), [""; 0]);
    let again = place.turn().compacted(&["six".to_owned()]).expect("the session is open");
    let ids: Vec<_> = again.skills.iter().map(|skill| skill.id.as_str()).collect();
    assert_eq!(ids, ["eight", "seven", "five", "four", "three", "one"]);
    assert_eq!(again.left_out, ["two"]);
    let cut: Vec<_> =
        again.skills.iter().filter(|skill| skill.is_cut).map(|skill| skill.id.as_str()).collect();
    assert_eq!(cut, ["seven", "three"]);
    for skill in &again.skills {
        assert!(skill.tokens <= 5_000, "{skill:?}");
        assert!(!skill.is_cut || skill.tokens > 4_980, "the budget is used: {skill:?}");
    }
    assert!(again.tokens <= 25_000, "{}", again.tokens);
    let whole = EstimatedTokens.count(&again.text);
    assert!(whole <= again.tokens + 80, "{whole} with the sentences, {} without", again.tokens);
    let in_order: Vec<_> = ids.into_iter().rev().collect();
    assert_eq!(Place::bodies_in(&again.text), in_order, "the later one applies, as in prompts");
    assert!(again.text.contains("The end of `seven` is left out; it is in its `SKILL.md`."));
    assert!(again.text.contains("The instructions of `two` are no longer"));
    assert!(!again.text.contains("\nsix: x"), "the conversation has this one");

    let loaded = place.load("eight");
    assert!(!loaded.contains("eight: x"), "it is in the conversation again");
    assert!(place.load("two").contains("two: x"), "this one is not");
    let nothing = place.turn().compacted(&SKILLS.map(|(name, _)| name.to_owned()));
    assert_eq!(nothing.expect("the session is open"), prowess::Reinjection::default());
}

/// A body is in the result of its load, then in the instructions, and never in both.
#[test]
fn both_once_moves_bodies_to_the_instructions() {
    let place = Place::new(BodyDelivery::BothOnce);
    assert_eq!(Place::bodies_in(&place.turn().prompt().text), [""; 0]);
    let kept = ["six", "seven"].map(str::to_owned);
    let again = place.turn().compacted(&kept).expect("the session is open");
    let moved: Vec<_> = again.skills.iter().map(|skill| skill.id.as_str()).collect();
    assert_eq!(moved, ["eight", "five", "four", "three", "two"]);
    assert!(again.tokens <= 25_000 && again.skills.iter().all(|skill| !skill.is_cut));
    assert_eq!(Place::bodies_in(&again.text), [""; 0], "the instructions have them");
    assert!(again.text.contains("The instructions of `one` are no longer"), "{}", again.text);
    let text = place.turn().prompt().text.clone();
    assert_eq!(Place::bodies_in(&text), ["two", "three", "four", "five", "eight"]);
    assert!(!place.load("two").contains("two: x"), "the instructions have it");
    assert!(place.load("one").contains("one: x"), "it was in neither");
    let in_result = |place: &BodyPlace| matches!(place, BodyPlace::ToolResult(_));
    assert_eq!(place.places().iter().filter(|place| in_result(place)).count(), 3);
    assert_eq!(Place::bodies_in(&place.turn().prompt().text).len(), 5, "each is in one place");
}
