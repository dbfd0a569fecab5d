//! `prowess prompt`: the skills section of the next prompt.

use std::fmt::Write as _;
use std::process::ExitCode;

use prowess::prompt::{Part, Prompt};

use crate::args::Global;
use crate::commands::conversation::Conversation;
use crate::failure::Failure;
use crate::output::{DIM, HEADING, Output};
use crate::runtime;
use crate::terminal::{plain, plain_lines};

pub(crate) fn run(global: &Global, load: &[String], output: &Output) -> Result<ExitCode, Failure> {
    let runtime = runtime::runtime(global)?;
    let conversation = Conversation::open(&runtime)?;
    conversation.load(load)?;
    let prompt = conversation.turn()?.prompt();
    output.result(&prompt, |prompt| plain_lines(&prompt.whole_text()).into_owned())?;
    output.remark(&ledger(&prompt));
    Ok(ExitCode::SUCCESS)
}

/// Returns the cost of each part of the prompt, one per line.
pub(crate) fn ledger(prompt: &Prompt) -> String {
    let estimated = if prompt.ledger.is_exact { "" } else { " (estimated)" };
    let mut text = format!("\n{HEADING}Tokens{HEADING:#}\n");
    for entry in &prompt.ledger.entries {
        let part = match &entry.part {
            Part::Rule => "loading rule".into(),
            Part::Block { block } => format!("block `{}`", block.name()),
            Part::Catalog => {
                format!("catalog, {} of {} skills", prompt.shown.len(), prompt.total)
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
        prompt.ledger.tokens
    );
    text
}
