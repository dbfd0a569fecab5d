//! The documents show commands that exist, and output that is printed.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use prowess_testkit::Tree;
use serde_json::Value;

use crate::plain_skill;
use crate::program::Program;

/// Returns the text of a file of the repository.
fn text(path: &str) -> String {
    let path = Path::new("../..").join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the paths of the Markdown files of the repository.
fn documents() -> Vec<String> {
    let (mut pending, mut found) = (vec![String::new()], Vec::new());
    while let Some(folder) = pending.pop() {
        for entry in fs::read_dir(Path::new("../..").join(&folder)).expect("a directory") {
            let entry = entry.expect("an entry");
            let name = entry.file_name().display().to_string();
            let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
            let is_left_out = name.starts_with('.') || name == "target" || name == "node_modules";
            if entry.file_type().expect("a type").is_dir() && !is_left_out {
                pending.push(path);
            } else if name.ends_with(".md") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Returns the lines of a document that begin with `$ prowess`, without their comments. A line that
/// ends with a backslash continues.
fn commands(document: &str) -> Vec<String> {
    let joined = document.replace("\\\n", "");
    let commands = joined.lines().filter_map(|line| line.trim().strip_prefix("$ "));
    let commands = commands.filter(|line| line.split(' ').next() == Some("prowess"));
    commands.map(|line| line.split(" #").next().unwrap_or(line).trim_end().to_owned()).collect()
}

/// Returns the commands between single backticks.
fn mentioned(document: &str) -> Vec<String> {
    let words = |span: &str| span.split_whitespace().collect::<Vec<_>>().join(" ");
    let spans = document.split('`').skip(1).step_by(2).map(words);
    spans.filter(|span| span.starts_with("prowess ")).collect()
}

/// Runs a line in a shell, as a user with this home does.
fn typed(line: &str, home: &Path, directory: &Path) -> Output {
    let program = Path::new(env!("CARGO_BIN_EXE_prowess")).parent().expect("it is in a directory");
    Command::new("/bin/sh")
        .args(["-c", line])
        .env_clear()
        .env("HOME", home)
        .env("PATH", format!("{}:/usr/bin:/bin", program.display()))
        .current_dir(directory)
        .stdin(Stdio::null())
        .output()
        .expect("the shell starts")
}

/// A command is parsed with `--help` behind its own arguments, which runs nothing.
#[test]
fn commands_of_the_documents_exist() {
    let home = tempfile::tempdir().expect("a home");
    let mut count = 0;
    for document in documents() {
        let text = text(&document);
        let mentioned = mentioned(&text).into_iter().filter(|line| !line.contains("COMMAND"));
        for line in commands(&text).into_iter().chain(mentioned) {
            // Words behind `--` are those of another program.
            let own = line.split(" -- ").next().unwrap_or(&line).trim_end_matches(" …");
            let quoted = own.replace(['<', '>'], "");
            let output = typed(&format!("{quoted} --help"), home.path(), home.path());
            let problem = String::from_utf8_lossy(&output.stderr);
            // A sentence may name an option without its value.
            let is_whole = !problem.contains("a value is required");
            assert!(output.status.success() || !is_whole, "{document}: `{line}`: {problem}");
            count += 1;
        }
    }
    assert!(count > 150, "the documents have commands: {count}");
}

/// Parts of commands that need something from elsewhere, or never end.
const ELSEWHERE: [&str; 7] = [" serve", "://", "owner/", "watch", " edit", "plugin", "skills-lock"];

/// The codes of commands that were understood: a placeholder stands for an id, nobody answers a
/// question, the program has no such feature, and the project is not trusted, so the shell has no
/// skill.
const UNDERSTOOD: [&str; 7] = [
    "approval-not-found",
    "confirmation-required",
    "feature-missing",
    "skill-hidden",
    "version-not-found",
    "no agent has",
    "ls: cannot access '/.sandbox/skills'",
];

/// The commands of each document run one after the other in a place that has what they name.
#[test]
fn commands_of_the_documents_run() {
    let mut count = 0;
    for document in documents() {
        let tree = Tree::new(SHOP);
        for name in ["pdf", "release"] {
            tree.write(&format!("shop/.agents/skills/{name}/SKILL.md"), plain_skill(name));
        }
        tree.write("shop/.agents/skills/pdf/scripts/fill.py", "# Fills a form.\n");
        tree.write("shop/team-skills/report/SKILL.md", plain_skill("report"));
        tree.write("shop/skills/slides/SKILL.md", plain_skill("slides"));
        tree.write("shop/queries.json", r#"[{"query": "a form", "expect": ["pdf"]}]"#);
        tree.write("shop/form.pdf", "%PDF");
        for line in commands(&text(&document)) {
            if ELSEWHERE.iter().any(|word| line.contains(word)) {
                continue;
            }
            let output = typed(&line, tree.path(), &tree.join("shop"));
            let problem = String::from_utf8_lossy(&output.stderr);
            let is_understood = UNDERSTOOD.iter().any(|code| problem.contains(code));
            let is_run = matches!(output.status.code(), Some(0 | 1)) || is_understood;
            assert!(is_run, "{document}: `{line}` ends with {}: {problem}", output.status);
            count += 1;
        }
    }
    assert!(count > 40, "the documents have commands: {count}");
}

/// Returns the parts of the line between double backticks, around its ellipsis.
fn shown_line(skill: &str) -> Vec<&str> {
    let line = skill.split("``").nth(1).expect("the skill shows a line");
    line.split('…').map(str::trim).collect()
}

#[test]
fn the_usage_skill_shows_what_explain_prints() {
    let tree = Tree::new("//- /.git/HEAD\nref: refs/heads/main\n");
    for root in ["project", "user"] {
        tree.write(&format!("{root}/pdf/SKILL.md"), plain_skill("pdf"));
    }
    let program = Program::new().root("project", &tree.join("project"));
    let ran = program.root("user", &tree.join("user")).run(&["explain", "pdf"]);
    let skill = text("crates/prowess/skills/prowess-usage/SKILL.md");
    let parts = shown_line(&skill);
    let is_shown = |line: &str| parts.iter().all(|part| line.contains(part));
    assert!(ran.text().lines().any(is_shown), "no line has {parts:?}: {}", ran.stdout);
}

const SHOP: &str = include_str!("../data/shop.txt");

/// Returns the commands of a block of a document, each with the text below it.
fn recorded(block: &str) -> Vec<(&str, &str)> {
    let commands = block.split("\n$ ").filter_map(|command| command.split_once('\n'));
    commands.map(|(line, output)| (line.trim_start_matches("$ "), output)).collect()
}

/// Returns the words, because a terminal breaks lines elsewhere than a pipe.
fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

#[test]
fn readme_shows_what_the_program_prints() {
    let tree = Tree::new(SHOP);
    let program = Path::new(env!("CARGO_BIN_EXE_prowess"));
    let readme = text("README.md");
    let use_it = readme.split("## Use it\n\n```console\n").nth(1).expect("the README has it");
    let commands = recorded(use_it.split("```").next().unwrap_or_default());
    assert_eq!(commands.len(), 5, "five commands are shown");
    for (line, expected) in commands {
        let output = typed(&format!("{line} 2>&1"), tree.path(), &tree.join("shop"));
        let printed = String::from_utf8_lossy(&output.stdout);
        let printed = printed.replace(&tree.path().display().to_string(), "/home/ann");
        let own = program.display().to_string();
        let printed = printed.replace(&own, "/home/ann/.cargo/bin/prowess");
        assert_eq!(words(&printed), words(expected), "`{line}` prints:\n{printed}");
    }
}

#[test]
fn readme_shows_lines_of_the_tour() {
    let readme = text("README.md");
    let shown = readme.split("```text\n").nth(1).expect("the README shows the tour");
    let shown = shown.split("```").next().unwrap_or_default();
    let tour = Program::new().run(&["tour"]);
    let mut rest = tour.text().lines();
    for line in shown.lines().filter(|line| *line != "…") {
        assert!(rest.any(|printed| printed.starts_with(line)), "the tour prints {line:?} here");
    }
}

#[test]
fn readme_lists_each_feature() {
    let readme = text("README.md");
    let rows: Vec<_> = readme.lines().filter_map(|line| line.strip_prefix("| `")).collect();
    let rows: Vec<_> = rows.iter().map(|row| row.replace("` | ", " ").replace(" |", "")).collect();
    let printed = Program::new().run(&["version", "--features"]);
    let is_mark = |word: &&str| !["yes", "no"].contains(word);
    let line = |line: &str| line.split_whitespace().filter(is_mark).collect::<Vec<_>>().join(" ");
    assert_eq!(rows, printed.text().lines().map(line).collect::<Vec<_>>());
}

#[test]
fn readme_of_the_program_lists_the_keys_that_people_set() {
    let readme = text("crates/prowess-cli/README.md");
    let schema = Program::new().run(&["config", "schema"]);
    let schema: Value = serde_json::from_str(schema.text()).expect("it is JSON");
    let keys = common_keys("", &schema);
    assert!(keys.len() > 40, "{keys:?}");
    for key in keys {
        let (section, name) = key.split_once('.').unwrap_or(("preset", &key));
        let item = readme.split("\n- ").find(|item| item.starts_with(&format!("`{section}`")));
        let item = item.unwrap_or_else(|| panic!("the README has `{section}`"));
        assert!(item.contains(&format!("`{name}`")), "the README has `{key}`");
    }
}

fn common_keys(path: &str, schema: &Value) -> Vec<String> {
    let own = (schema["x-tier"] == "common").then(|| path.to_owned());
    let inner = schema["properties"].as_object().into_iter().flatten();
    let inner = inner.flat_map(|(name, inner)| {
        common_keys(format!("{path}.{name}").trim_start_matches('.'), inner)
    });
    own.into_iter().chain(inner).collect()
}
