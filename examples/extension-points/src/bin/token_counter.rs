//! A `TokenCounter` of the host: the budgets of prompts then count what its model counts.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)]

use std::sync::Arc;

use extension_points::kitchen;
use prowess::{Error, TokenCounter};

/// Stands for the vocabulary of a model: each word is one token.
struct Words;

impl TokenCounter for Words {
    fn count(&self, text: &str) -> usize {
        text.split_whitespace().count()
    }

    fn is_exact(&self) -> bool {
        true
    }
}

fn main() -> Result<(), Error> {
    let runtime = kitchen().token_counter(Arc::new(Words)).build()?;
    let turn = runtime.turn(&runtime.open_session()?)?;
    let ledger = &turn.prompt().ledger;
    let kind = if ledger.is_exact { "exactly" } else { "about" };
    println!("the prompt has {kind} {} words", ledger.tokens);
    Ok(())
}
