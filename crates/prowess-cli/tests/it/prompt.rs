//! `prowess prompt`: its margin, its differences and its agent.

use prowess_testkit::Tree;

use crate::program::{Program, Ran};

fn tree() -> Tree {
    Tree::new(include_str!("../data/prompt.txt"))
}

/// Runs the command at one home, in one directory.
fn prompt(tree: &Tree, arguments: &[&str]) -> Ran {
    let program = Program::new().root("user", &tree.join("skills"));
    let program = program.at_home_in(&tree.join("home")).working_in(tree.path());
    program.run(&[&["prompt"], arguments].concat())
}

#[test]
fn message_loads_what_it_is_about_if_the_policy_says_so() {
    let tree = tree();
    let message = ["--message", "Make a table of it"];
    let sets = ["--set", "auto_load.min_score=1"];
    for (arguments, is_loaded) in [(message.to_vec(), false), ([sets, message].concat(), true)] {
        let ran = prompt(&tree, &arguments);
        assert_eq!(ran.stdout.contains("Rows and columns."), is_loaded, "{arguments:?}: {ran:?}");
        let program = Program::new().root("user", &tree.join("skills"));
        let program = program.at_home_in(&tree.join("home")).working_in(tree.path());
        let read = ["call", "skills_read", r#"{"path": "SKILL.md"}"#];
        let ran = program.run(&[&read, &*arguments].concat());
        assert_eq!(ran.stdout.contains("Rows and columns."), is_loaded, "call: {ran:?}");
    }
}

#[test]
fn margin_has_block_skill_and_tokens() {
    let tree = tree();
    let load = ["--load", "pdf"];
    let plain = prompt(&tree, &load);
    assert!(
        plain.stdout.starts_with("Skills hold instructions"),
        "a pipe gets the text: {plain:?}"
    );
    let styled = prompt(&tree, &["--load", "pdf", "--color", "always"]);
    let text = anstream::adapter::strip_str(&styled.stdout).to_string();
    let line = |block: &str, skill: &str, start: &str| {
        let found = text.lines().find(|line| {
            let words: Vec<_> = line.split_whitespace().collect();
            line.starts_with(block)
                && (skill.is_empty() || words.get(1) == Some(&skill))
                && line.contains(&format!("│ {start}"))
        });
        found.unwrap_or_else(|| panic!("`{block} {skill}` is in {text}"));
    };
    line("rule", "", "Skills hold");
    line("catalog", "pdf", "<skill>");
    line("catalog", "sheets", "<skill>");
    line("instructions", "pdf", "<skill_content-");
    assert!(styled.stdout.contains("\u{1b}[36mcatalog"), "it is colored: {styled:?}");
}

#[test]
fn levels_count_what_was_read() {
    let tree = tree();
    let arguments = ["--load", "pdf", "--read", "references/fields.md"];
    let document = prompt(&tree, &[&arguments[..], &["--format", "json"]].concat());
    let levels = &document.json()["levels"];
    assert_eq!(levels[0]["id"], "pdf");
    assert_eq!(levels[0]["resources"][0]["path"], "references/fields.md");
    assert_eq!(levels[0]["resources"][0]["tokens"], 6);
    assert_eq!(levels[1]["instructions"], 0);
    let text = prompt(&tree, &arguments);
    assert!(text.stderr.contains("Tokens by level"), "{text:?}");
    assert!(text.stderr.contains("read references/fields.md"), "{text:?}");
    assert!(text.stderr.contains("1 skill not loaded"), "{text:?}");
    let missing = prompt(&tree, &["--load", "pdf", "--read", "missing.md"]);
    assert_eq!(missing.code, Some(1), "{missing:?}");
}

#[test]
fn difference_from_the_last_prompt() {
    let tree = tree();
    let load = ["--load", "pdf", "--diff", "last"];
    let first = prompt(&tree, &load);
    assert_eq!(first.code, Some(1), "{first:?}");
    assert!(first.stderr.contains("no-last-prompt"), "{first:?}");
    assert_eq!(prompt(&tree, &load[..2]).code, Some(0));
    let same = prompt(&tree, &load);
    assert_eq!(same.stdout, "", "the boundary of a session is no difference: {same:?}");
    let text = "---\nname: sheets\ndescription: Makes charts.\n---\nRows and columns.\n";
    tree.write("skills/sheets/SKILL.md", text);
    let edited = prompt(&tree, &load);
    let lines: Vec<_> = edited.stdout.lines().filter(|line| line.contains("Makes")).collect();
    assert_eq!(
        lines,
        ["-<description>Makes tables.</description>", "+<description>Makes charts.</description>"]
    );
    assert_eq!(prompt(&tree, &load).stdout, "", "it is the last one now");
}

#[test]
fn difference_from_another_policy() {
    let tree = tree();
    let diff = prompt(&tree, &["--diff", "names.yaml"]);
    assert_eq!(diff.code, Some(0), "{diff:?}");
    assert!(diff.stdout.contains("\n-  - pdf: Fills forms."), "{diff:?}");
    assert!(diff.stdout.contains("\n+<name>pdf</name>"), "{diff:?}");
    let document = prompt(&tree, &["--diff", "names.yaml", "--format", "json"]);
    assert_eq!(document.json()["diff"].as_str(), Some(diff.stdout.as_str()));
    let missing = prompt(&tree, &["--diff", "missing.yaml"]);
    assert_eq!(missing.code, Some(2), "{missing:?}");
}

#[test]
fn agent_has_its_skills_bound() {
    let tree = tree();
    let ran = prompt(&tree, &["--agent", "agent.yaml"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let body = ran.stdout.find("Read `references/fields.md` first.").expect("it is bound");
    let inline = ran.stdout.find("Be brief.").expect("it is in the manifest");
    let catalog = ran.stdout.find("<available_skills>").expect("the agent sees the skills");
    assert!(body < inline && inline < catalog, "{}", ran.stdout);
    assert!(ran.stderr.contains("agent-tool-unknown"), "no tool here is `web_search`: {ran:?}");
    assert!(!ran.stderr.contains("agent-skill-unknown"), "{ran:?}");
    tree.write("agent.yaml", "id: builder\nagent:\n  uses_skills: [excel]\n");
    let unknown = prompt(&tree, &["--agent", "agent.yaml"]);
    assert_eq!(unknown.code, Some(1), "{unknown:?}");
    assert!(unknown.stderr.contains("agent-skill-unknown"), "{unknown:?}");
    tree.write("agent.yaml", "id: [builder\n");
    assert_eq!(prompt(&tree, &["--agent", "agent.yaml"]).code, Some(1));
}

/// The prompt keeps the skills that the message is about, and the overview counts the others.
#[test]
fn message_decides_what_fits_the_prompt() {
    let tree = Tree::new("");
    for number in 0..300 {
        let frontmatter = format!(
            "name: skill-{number}\ndescription: Handles topic{number}. {}",
            "word ".repeat(60)
        );
        tree.write(&format!("skill-{number}/SKILL.md"), crate::skill_md(&frontmatter));
    }
    let run =
        |args: &[&str]| crate::run(tree.path(), &[args, &["--format", "json"]].concat()).json();
    let shown = |args: &[&str]| run(args)["shown"].to_string();
    let about = ["prompt", "--message", "please do topic277 now"];
    assert!(shown(&about).contains("\"skill-277\""), "the message decides");
    assert_eq!(shown(&about), shown(&about), "equal messages give equal prompts");
    assert!(!shown(&["prompt"]).contains("\"skill-277\""), "it is left out without one");
    for command in [&[][..], &["doctor"]] {
        let fits = run(command)["in_prompt"].clone();
        assert!(fits["total"].as_u64() > fits["shown"].as_u64(), "{command:?}: {fits}");
        let text = crate::run(tree.path(), command).stdout;
        assert!(
            text.contains(" skills fit the prompt; a model finds the rest by search"),
            "{text}"
        );
    }
}
