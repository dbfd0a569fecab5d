//! `prowess prompt`: the text that the next model call would carry.

use std::fmt::Write as _;
use std::process::ExitCode;

use prowess::prompt::{Part, Prompt};

use crate::args::Global;
use crate::commands::conversation::Conversation;
use crate::failure::Failure;
use crate::output::{DIM, HEADING, Output};
use crate::place;
use crate::terminal::{plain, plain_lines};

pub(crate) fn run(global: &Global, load: &[String], output: &Output) -> Result<ExitCode, Failure> {
    let runtime = place::runtime(global)?;
    let conversation = Conversation::open(&runtime)?;
    conversation.load(load)?;
    let prompt = conversation.turn()?.prompt();
    output.result(&prompt, |prompt| plain_lines(&prompt.text).into_owned())?;
    output.remark(&ledger(&prompt));
    Ok(ExitCode::SUCCESS)
}

/// What each part of the prompt costs, a line each.
pub(crate) fn ledger(prompt: &Prompt) -> String {
    let about = if prompt.ledger.is_exact { "" } else { "about " };
    let mut text = format!("\n{HEADING}Tokens{HEADING:#}\n");
    for entry in &prompt.ledger.entries {
        let part = match &entry.part {
            Part::Rule => "the rule that loading comes first".into(),
            Part::Catalog => {
                format!("the catalog, {} of {} skills", prompt.shown.len(), prompt.total)
            }
            Part::ActiveFrame => "the frame of the loaded skills".into(),
            Part::ActiveSkill { id } => format!("the instructions of {}", plain(id)),
            Part::Changed => "which loaded skills have changed".into(),
        };
        let _ = writeln!(text, "  {:>7}  {part}", entry.tokens);
    }
    let _ = writeln!(
        text,
        "  {:>7}  {DIM}{about}in all, for each model call{DIM:#}",
        prompt.ledger.tokens
    );
    text
}
