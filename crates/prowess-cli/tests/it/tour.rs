//! The newcomer's first command says what it promises, and what it shows is real.

use serde_json::Value;

use crate::program::Program;

/// A line of the loaded skill's instructions, which the catalog does not have.
const BODY: &str = "# Writing a skill";

fn played() -> Vec<Value> {
    let played = Program::new().run(&["tour", "--format", "json"]);
    assert_eq!(played.code, Some(0));
    played.json()["turns"].as_array().expect("the turns are a list").clone()
}

/// The turn that calls `tool` first.
fn turn_of<'p>(played: &'p [Value], tool: &str) -> (usize, &'p Value) {
    let calls = |turn: &Value| turn["call"]["name"] == tool;
    let at = played.iter().position(calls).expect("the tool is called");
    (at, &played[at])
}

fn prompt(turn: &Value) -> &str {
    turn["prompt"].as_str().expect("a turn has a prompt")
}

#[test]
fn loading_brings_the_instructions_into_the_next_prompt_and_not_before() {
    let played = played();
    let (at, load) = turn_of(&played, "skills_load");
    assert_eq!((&load["is_error"], &load["code"]), (&false.into(), &Value::Null));
    assert!(!load["answer"].as_str().unwrap().contains(BODY), "the receipt leaves the body out");
    for turn in &played[..=at] {
        assert!(!prompt(turn).contains(BODY), "before loading, no prompt has the instructions");
    }
    let next = &played[at + 1];
    assert!(prompt(next).contains(BODY), "after loading, the prompt has the instructions");
    assert_eq!(next["active"], load["call"]["arguments"]["names"]);
}

#[test]
fn a_file_of_the_skill_is_read_and_one_outside_is_refused() {
    let played = played();
    let (at, read) = turn_of(&played, "skills_read");
    assert_eq!(read["is_error"], false, "{read:#}");
    assert!(read["answer"].as_str().unwrap().contains("Checklist"), "the file's text is there");
    let (_, refused) = turn_of(&played[at + 1..], "skills_read");
    assert_eq!((&refused["is_error"], &refused["code"]), (&true.into(), &"path-escape".into()));
}

#[test]
fn misspelt_name_gets_a_suggestion() {
    let played = played();
    let slip = played.iter().find(|turn| turn["code"] == "skill-not-found");
    let answer = slip.expect("the model mistypes a name")["answer"].as_str().unwrap();
    assert!(answer.contains("did you mean `skill-writing`"), "{answer}");
}

#[test]
fn after_unloading_the_prompt_is_the_first_one() {
    let played = played();
    let (at, unload) = turn_of(&played, "skills_unload");
    assert_eq!(unload["is_error"], false);
    let last = played.last().expect("there are turns");
    assert_eq!(at + 2, played.len(), "unloading is the last call");
    assert_eq!(prompt(last), prompt(&played[0]), "byte for byte");
    assert_eq!(last["active"], serde_json::json!([]));
}

#[test]
fn each_turn_has_its_cost_and_its_time() {
    for turn in played() {
        assert!(turn["prompt_tokens"].as_u64().is_some_and(|tokens| tokens > 0), "{turn:#}");
        assert!(turn["microseconds"].is_u64(), "{turn:#}");
    }
}

#[test]
fn text_output_is_readable() {
    let ran = Program::new().run(&["tour"]);
    let text = ran.text();
    for part in ["Turn 1", "<available_skills>", "skills_load", BODY, "path-escape", "Turn 6"] {
        assert!(text.contains(part), "the tour shows {part}");
    }
    assert_eq!(ran.stderr, "", "there is nothing to complain of");
}

#[test]
fn preset_is_honoured() {
    let run =
        |preset: &str| Program::new().run(&["--preset", preset, "--format", "json", "tour"]).json();
    let shell = cfg!(feature = "virtual-shell").then_some("sandbox");
    for preset in ["standard", "flexigpt", "omniforge", "boxxy", "yodoca"].into_iter().chain(shell)
    {
        let played = run(preset);
        let load = &played["turns"][0];
        assert_eq!(load["is_error"], false, "the script fits `{preset}`: {load:#}");
        let tool = if preset == "flexigpt" { "skills-load" } else { "skills_load" };
        assert_eq!(load["call"]["name"], tool, "`{preset}` spells the names of tools");
    }
}
