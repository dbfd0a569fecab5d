//! `prowess help`: a page about a topic, or the help of a command.

use std::fmt::Write as _;
use std::process::ExitCode;

use prowess::tools::closest;
use serde_json::json;

use crate::args::renamed::{self, Renamed};
use crate::args::{LEAST_SIMILARITY, command, shared_options};
use crate::failure::Failure;
use crate::output::{HEADING, ID, Output};

/// A page of the folder `help`: Markdown of at most 80 columns that begins with its title.
struct Topic {
    name: &'static str,
    page: &'static str,
}

macro_rules! topics {
    ($($name:literal)*) => {
        [$(Topic { name: $name, page: include_str!(concat!("../../help/", $name, ".md")) }),*]
    };
}

/// In the order in which a new user needs them.
const TOPICS: [Topic; 9] = topics! {
    "directories" "trust" "configuration" "installing" "scripts" "serve" "running" "plugins" "features"
};

/// The topic that is made of the command line's definition.
const OPTIONS: &str = "options";

/// Returns the names of the topics.
pub(super) fn topics() -> Vec<String> {
    TOPICS.iter().map(|topic| topic.name).chain([OPTIONS]).map(str::to_owned).collect()
}

/// Prints the help of the words: a topic, or a command and its subcommands. Without words, lists
/// the topics.
pub(crate) fn run(words: &[String], output: &Output) -> Result<ExitCode, Failure> {
    let topic = match words {
        [] => {
            list(output)?;
            return Ok(ExitCode::SUCCESS);
        }
        [word] if word == OPTIONS => {
            let text = shared_options();
            output.result(&json!({ "topic": OPTIONS, "text": text }), |_| text.clone())?;
            return Ok(ExitCode::SUCCESS);
        }
        [word] => TOPICS.iter().find(|topic| topic.name == word),
        _ => None,
    };
    match topic {
        Some(Topic { name, page }) => {
            output.result(&json!({ "topic": name, "text": page }), |_| shown(page))?;
        }
        None => {
            let today = renamed::today(words);
            if let Some((Renamed { old, new, .. }, _)) = &today {
                output.remark(&format!("note: `{old}` is now `{new}`\n"));
            }
            let text = of_command(today.as_ref().map_or(words, |(_, words)| words))?;
            output.result(&json!({ "text": text }), |_| text.clone())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn list(output: &Output) -> Result<(), Failure> {
    let names = topics();
    output.result(&json!({ "topics": names }), |_| {
        let mut text = format!("{HEADING}Topics{HEADING:#}, as in `prowess help trust`:\n\n");
        for Topic { name, page } in &TOPICS {
            let title = page.lines().next().unwrap_or_default().trim_start_matches("# ");
            let _ = writeln!(text, "  {ID}{name:13}{ID:#}  {title}");
        }
        let _ = writeln!(text, "  {ID}{OPTIONS:13}{ID:#}  The options of all commands");
        text + "\n`prowess -h` lists the commands, `prowess help COMMAND` describes one, and\n\
                `prowess explain CODE` says what a code means. `prowess man` is the manual page,\n\
                and `prowess completions bash` prints the completions of a shell.\n"
    })
}

/// Returns a page as a terminal shows it: headings in bold, and blocks of code without their
/// fences, indented.
fn shown(page: &str) -> String {
    let mut text = String::new();
    let mut is_code = false;
    for line in page.lines() {
        let _ = match line.trim_start_matches('#').strip_prefix(' ') {
            _ if line.starts_with("```") => {
                is_code = !is_code;
                continue;
            }
            _ if is_code && !line.is_empty() => writeln!(text, "  {line}"),
            Some(heading) if line.starts_with('#') => {
                writeln!(text, "{HEADING}{heading}{HEADING:#}")
            }
            _ => writeln!(text, "{line}"),
        };
    }
    text
}

/// Returns the long help of a command, as its `--help` prints it.
fn of_command(words: &[String]) -> Result<String, Failure> {
    let mut program = command();
    program.build();
    let mut found = &mut program;
    for word in words {
        let names = found.get_subcommands().map(|command| command.get_name().to_owned());
        let names: Vec<_> = names.collect();
        found = match names.iter().position(|name| name == word) {
            Some(_) => found.find_subcommand_mut(word).expect("it was just found"),
            None => return Err(unknown(word, &names)),
        };
    }
    Ok(found.render_long_help().to_string())
}

fn unknown(word: &str, commands: &[String]) -> Failure {
    let topics = TOPICS.iter().map(|topic| topic.name).chain([OPTIONS]);
    let names = topics.chain(commands.iter().map(String::as_str));
    let meant = renamed::of_other_tools("", word).or(closest(word, names, LEAST_SIMILARITY));
    let message = match meant {
        Some(meant) => format!("no topic or command named `{word}`; did you mean `{meant}`?"),
        None => format!("no topic or command named `{word}`"),
    };
    Failure::usage("topic-unknown", message, "`prowess help` lists the topics")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_fit_a_terminal() {
        for Topic { name, page } in &TOPICS {
            assert!(page.starts_with("# "), "{name} begins with its title");
            // Code is indented by two columns.
            for line in shown(page).lines() {
                let columns = crate::terminal::width(line);
                assert!(
                    columns <= 80 || line.contains("\u{1b}"),
                    "{name}: {columns} columns: {line}"
                );
            }
        }
    }

    #[test]
    fn code_is_indented_without_its_fence() {
        let page = "# Title\n\nText.\n\n```yaml\na: b # c\n```\n";
        let expected = format!("{HEADING}Title{HEADING:#}\n\nText.\n\n  a: b # c\n");
        assert_eq!(shown(page), expected);
    }
}
