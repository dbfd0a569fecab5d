//! How far the list of a skill reaches: its package and the working directory.

use prowess_gate::shell_commands;

use crate::corpora::harmless;
use crate::support::{bash, trusted, word};

const LINKS: &[(&str, &str)] =
    &[("/w/docs/out", "/secret/key"), ("/w/out", "/secret/key"), ("/w/docs/sec", "/secret")];

/// Returns what the list `Bash` decides, and one that names each program of the command.
fn decided(command: &str) -> [&'static str; 3] {
    let commands = shell_commands(command).unwrap_or_default();
    let named: Vec<_> = commands.iter().map(|it| format!("Bash({}:*)", it.words[0])).collect();
    let call = || bash(command).with_files(LINKS);
    [
        word(&call().with_skills(&[trusted("Bash")]).decide()),
        word(&call().with_skills(&[trusted(&named.join(" "))]).decide()),
        word(&call().with_policy(r#"{"grant": ["Bash"]}"#).decide()),
    ]
}

#[test]
fn commands_are_granted_as_the_table_says() {
    let mut expected = "";
    let mut wrong = Vec::new();
    for line in include_str!("../data/reach.txt").lines() {
        match line.strip_suffix(':').filter(|word| ["ask", "allow"].contains(word)) {
            Some(word) => expected = word,
            None if line.is_empty() || line.starts_with("# ") => {}
            None => {
                let decided = decided(line);
                let is_right = decided == [expected, expected, "allow"];
                wrong.extend((!is_right).then_some((line, decided)));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Commands of models stay near, but for interpreters that are given a text.
#[test]
fn harmless_commands_rarely_reach_out() {
    let cases = harmless();
    let asks = |rules: &str, command: &str| {
        !bash(command).with_files(&[]).with_skills(&[trusted(rules)]).decide().is_allowed()
    };
    let asking = cases.iter().filter(|case| asks(&case.rules, &case.command));
    let asking: Vec<_> = asking.map(|case| &case.command).collect();
    assert!(asking.len() * 100 <= cases.len() * 8, "{} ask: {asking:#?}", asking.len());
}
