//! Vectors of formal models, which the code has to answer as the model does.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Cursor, Read};

use serde_json::Value;

/// The variable that names a file of further vectors, as `cargo xtask model` writes it.
const VECTORS: &str = "PROWESS_VECTORS";

/// A question to a model.
#[derive(Clone, Debug)]
pub struct ModelQuestion(Vec<Value>);

impl ModelQuestion {
    /// Returns a part that is a text.
    pub fn text(&self, part: usize) -> &str {
        self.0[part].as_str().expect("the part is a text")
    }

    /// Returns a part that is a list of numbers.
    pub fn numbers(&self, part: usize) -> Vec<i64> {
        let numbers = self.0[part].as_array().expect("the part is a list");
        numbers.iter().map(|number| number.as_i64().expect("it is a number")).collect()
    }
}

/// Compares the code with the vectors of its model, and prints the number of questions. Each line
/// of `vectors` has the parts of a question and the answer. `answer` receives both, so that it can
/// repeat what the code does not decide.
///
/// `cargo xtask model` passes other vectors, which the model has just answered, and reads the number.
#[allow(clippy::print_stderr)]
pub fn replay_model(vectors: &str, answer: impl Fn(&ModelQuestion, &[i64]) -> Vec<i64>) {
    let lines: Box<dyn Read> = match std::env::var_os(VECTORS) {
        Some(path) => Box::new(File::open(path).expect("the vectors can be opened")),
        None => Box::new(Cursor::new(vectors.to_owned())),
    };
    let mut count = 0;
    for line in BufReader::new(lines).lines() {
        let line = line.expect("the vectors can be read");
        let (question, expected): (Vec<Value>, Vec<i64>) =
            serde_json::from_str(&line).expect("a vector has a question and an answer");
        let answered = answer(&ModelQuestion(question), &expected);
        assert_eq!(answered, expected, "the model answers {line}");
        count += 1;
    }
    assert!(count > 0, "there are no vectors");
    eprintln!("{count} questions");
}
