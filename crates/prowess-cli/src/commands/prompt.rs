//! `prowess prompt`: the skills section of the next prompt.

use std::fmt::Write as _;
use std::process::ExitCode;

use prowess::prompt::{Part, Prompt, ResourceUse, SkillLevels};
use serde_json::json;

use crate::args::{Global, PromptArgs};
use crate::commands::composed::Composed;
use crate::commands::difference::{colored, difference, keep};
use crate::commands::margin::with_margin;
use crate::failure::Failure;
use crate::output::{DIM, HEADING, Output, counted};
use crate::terminal::{plain, plain_lines};

pub(crate) fn run(
    global: &Global,
    args: &PromptArgs,
    output: &Output,
) -> Result<ExitCode, Failure> {
    let composed = Composed::new(global, args, None, output)?;
    if let Some(other) = &args.diff {
        let diff = difference(global, args, other, &composed, output)?;
        output.result(&json!({ "diff": diff }), |_| colored(&plain_lines(&diff)))?;
        if diff.is_empty() {
            output.remark("no difference\n");
        }
    } else {
        output.result(&composed, |composed| text(composed, output))?;
        output
            .remark(&(ledger(&composed.prompt, composed.agent_tokens) + &levels(&composed.levels)));
    }
    keep(global, args, &composed);
    Ok(ExitCode::SUCCESS)
}

/// Returns the text of the prompt: on a terminal behind a margin, elsewhere as a model sees it.
fn text(composed: &Composed, output: &Output) -> String {
    if !output.is_for_a_terminal() {
        return plain_lines(&composed.text()).into_owned();
    }
    let margin = with_margin(&composed.prompt.segments());
    if composed.agent_instructions.is_empty() {
        return margin;
    }
    format!("{}\n\n{margin}", plain_lines(&composed.agent_instructions))
}

/// Returns the cost of each part of the prompt, one per line, with that of an agent's instructions.
pub(crate) fn ledger(prompt: &Prompt, agent_tokens: Option<usize>) -> String {
    let estimated = if prompt.ledger.is_exact { "" } else { " (estimated)" };
    let mut text = format!("\n{HEADING}Tokens{HEADING:#}\n");
    if let Some(agent_tokens) = agent_tokens {
        let _ = writeln!(text, "  {agent_tokens:>7}  instructions of the agent");
    }
    for entry in &prompt.ledger.entries {
        let part = match &entry.part {
            Part::Rule => "loading rule".into(),
            Part::Block { block } => format!("block `{}`", block.as_str()),
            Part::Catalog => {
                format!("catalog, {} of {}", prompt.shown.len(), counted(prompt.total, "skill"))
            }
            Part::ActiveFrame => "markup of the loaded skills".into(),
            Part::ActiveSkill { id } => format!("instructions of {}", plain(id)),
            Part::CatalogNotice => "notice of changes of the catalog".into(),
            Part::Changed => "list of loaded skills that have changed".into(),
        };
        let _ = writeln!(text, "  {:>7}  {part}", entry.tokens);
    }
    let _ = writeln!(
        text,
        "  {:>7}  {DIM}total{estimated} per model call{DIM:#}",
        prompt.ledger.tokens + agent_tokens.unwrap_or_default()
    );
    text
}

/// Returns the cost of each skill by level: those that are used one per line, and the others
/// together.
fn levels(levels: &[SkillLevels]) -> String {
    if levels.is_empty() {
        return String::new();
    }
    let is_used = |skill: &&SkillLevels| skill.instructions > 0 || !skill.resources.is_empty();
    let (used, others): (Vec<_>, Vec<_>) = levels.iter().partition(is_used);
    let mut text = format!(
        "\n{HEADING}Tokens by level{HEADING:#}\n  {DIM}catalog  instructions    files{DIM:#}\n"
    );
    for skill in used {
        let files = skill.resource_tokens();
        let SkillLevels { id, catalog, instructions, resources } = skill;
        let _ = writeln!(text, "  {catalog:>7}  {instructions:>12}  {files:>7}  {}", plain(id));
        for used in resources {
            let verb = if used.by == ResourceUse::Run { "run" } else { "read" };
            let indent = " ".repeat(23);
            let path = plain(&used.path);
            let _ = writeln!(text, "  {indent}{:>7}    {DIM}{verb}{DIM:#} {path}", used.tokens);
        }
    }
    if !others.is_empty() {
        let catalog: usize = others.iter().map(|skill| skill.catalog).sum();
        let others = counted(others.len(), "skill");
        let _ =
            writeln!(text, "  {catalog:>7}  {:>12}  {:>7}  {DIM}{others} not loaded{DIM:#}", 0, 0);
    }
    text
}
