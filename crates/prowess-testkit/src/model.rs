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

    /// Returns a part that is a list of numbers, none of which is negative.
    pub fn counts(&self, part: usize) -> Vec<usize> {
        let count = |number| usize::try_from(number).expect("no number is negative");
        self.numbers(part).into_iter().map(count).collect()
    }
}

/// Compares the code with the vectors of its model, and prints the number of questions. Each line
/// of `vectors` has the parts of a question and the answer. `answer` receives both, so that it can
/// repeat what the code does not decide.
///
/// `cargo xtask model` passes other vectors, which the model has just answered.
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

/// Calls a function with every path of at most seven parts, each a name, a name with a backslash, a
/// dot, two dots, nothing, or a NUL: 335,922 paths.
pub fn for_each_short_path(mut call: impl FnMut(&str)) {
    const PARTS: [&str; 6] = ["..", ".", "", "a", "a\\", "\0"];
    let mut paths = vec![String::new()];
    for length in 0..7 {
        let separator = if length == 0 { "" } else { "/" };
        let longer = |path: &String| PARTS.map(|part| format!("{path}{separator}{part}"));
        paths = paths.iter().flat_map(longer).collect();
        paths.iter().for_each(|path| call(path));
    }
}
