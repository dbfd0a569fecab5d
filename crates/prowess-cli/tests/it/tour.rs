//! The newcomer's first command does what it promises, and what it shows is real.

use serde_json::{Value, json};

use crate::program::Program;

/// A line of the loaded skill's instructions, which the catalog does not have.
const BODY: &str = "# Writing a skill";

fn played(options: &[&str]) -> Vec<Value> {
    let played = Program::new().run(&[options, &["tour", "--format", "json"]].concat());
    assert_eq!(played.code, Some(0));
    played.json()["turns"].as_array().expect("the turns are a list").clone()
}

fn prompt(turn: &Value) -> &str {
    turn["prompt"].as_str().expect("a turn has a prompt")
}

#[test]
fn conversation_loads_reads_is_refused_and_unloads() {
    let played = played(&[]);
    let calls: Vec<_> = played.iter().map(|turn| (&turn["call"]["name"], &turn["code"])).collect();
    let expected = [
        (json!("skills_load"), Value::Null),
        (json!("skills_read"), Value::Null),
        (json!("skills_read"), json!("path-escape")),
        (json!("skills_load"), json!("skill-not-found")),
        (json!("skills_unload"), Value::Null),
        (Value::Null, Value::Null),
    ];
    assert_eq!(calls, expected.each_ref().map(|(name, code)| (name, code)));
    assert!(!prompt(&played[0]).contains(BODY), "before loading, the prompt has no instructions");
    assert!(prompt(&played[1]).contains(BODY), "after loading, the prompt has the instructions");
    assert_eq!(played[1]["active"], played[0]["call"]["arguments"]["names"]);
    assert!(
        played[1]["answer"].as_str().unwrap().contains("Checklist"),
        "the file's text is there"
    );
    let slip = played[3]["answer"].as_str().unwrap();
    assert!(slip.contains("did you mean `skill-writing`"), "{slip}");
    assert_eq!(prompt(&played[5]), prompt(&played[0]), "after unloading, byte for byte");
    for turn in &played {
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
    let shell = cfg!(feature = "virtual-shell").then_some("sandbox");
    for preset in ["standard", "flexigpt", "omniforge", "boxxy", "yodoca"].into_iter().chain(shell)
    {
        let load = &played(&["--preset", preset])[0];
        assert_eq!(load["is_error"], false, "the script fits `{preset}`: {load:#}");
        let tool = if preset == "flexigpt" { "skills-load" } else { "skills_load" };
        assert_eq!(load["call"]["name"], tool, "`{preset}` spells the names of tools");
    }
}
