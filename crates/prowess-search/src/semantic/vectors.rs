//! Words with their vectors, as several makers publish them.

use hashbrown::HashMap;

use crate::stopwords::is_stopword;
use crate::words::Words;
use crate::{Embedder, VectorError};

/// A table of words with their vectors. A text is the mean of its words, without stopwords.
///
/// Each number takes a byte, so a hundred thousand words of a hundred dimensions take about 10 MB.
#[derive(Clone, Debug)]
pub struct WordVectors {
    dimensions: usize,
    /// Which row each word has.
    rows: HashMap<Box<str>, u32>,
    /// The rows, as shares of each one's factor.
    numbers: Vec<i8>,
    factors: Vec<f32>,
}

impl WordVectors {
    /// Reads the text form that GloVe, word2vec and fastText share: a word and its numbers on each
    /// line, perhaps after a first line of two numbers. `cargo xtask model` writes such a file.
    ///
    /// Words that no query contains, such as those with a capital or a hyphen, are left out; of
    /// equal ones the first stays.
    ///
    /// # Errors
    ///
    /// A line has no numbers, or not as many as the first, or one that is no number, or there is no
    /// line.
    pub fn parse(text: &str) -> Result<Self, VectorError> {
        let mut lines = (1..).zip(text.lines()).peekable();
        lines.next_if(|(_, line)| is_header(line));
        let Some(&(_, first)) = lines.peek() else {
            return Err(VectorError { line: 1, problem: "has no word" });
        };
        let dimensions = first.split_ascii_whitespace().count().saturating_sub(1);
        let (rows, numbers, factors) = Default::default();
        let mut vectors = Self { dimensions, rows, numbers, factors };
        let mut vector = Vec::with_capacity(dimensions);
        for (line, text) in lines {
            vectors.read(text, &mut vector).map_err(|problem| VectorError { line, problem })?;
        }
        Ok(vectors)
    }

    /// How many words it knows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether it knows no word.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    fn read(&mut self, line: &str, vector: &mut Vec<f32>) -> Result<(), &'static str> {
        let mut parts = line.split_ascii_whitespace();
        let word = parts.next().ok_or("is empty")?;
        vector.clear();
        for part in parts {
            let number: f32 = part.parse().map_err(|_| "has something that is no number")?;
            vector.push(number);
        }
        if vector.is_empty() {
            return Err("has no numbers");
        }
        if vector.len() != self.dimensions {
            return Err("has not as many numbers as the first");
        }
        if !vector.iter().all(|number| number.is_finite()) {
            return Err("has a number without end");
        }
        if is_one_word(word) && !self.rows.contains_key(word) {
            self.push(word, vector);
        }
        Ok(())
    }

    fn push(&mut self, word: &str, vector: &[f32]) {
        let row = u32::try_from(self.factors.len()).expect("a text of 4 GiB has fewer words");
        let largest = vector.iter().fold(0.0, |largest: f32, number| largest.max(number.abs()));
        let factor = (largest / f32::from(i8::MAX)).max(f32::MIN_POSITIVE);
        #[expect(clippy::cast_possible_truncation, reason = "no share is larger than the largest")]
        let share = |number: &f32| (number / factor).round() as i8;
        self.numbers.extend(vector.iter().map(share));
        self.factors.push(factor);
        self.rows.insert(word.into(), row);
    }

    fn add(&self, word: &str, sum: &mut [f32]) {
        let Some(&row) = self.rows.get(word) else { return };
        let start = row as usize * self.dimensions;
        let factor = self.factors[row as usize];
        for (sum, &share) in sum.iter_mut().zip(&self.numbers[start..start + self.dimensions]) {
            *sum += factor * f32::from(share);
        }
    }
}

impl Embedder for WordVectors {
    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn embed(&self, text: &str) -> Vec<f32> {
        // A sum has the direction of the mean, and only that counts.
        let mut sum = vec![0.0; self.dimensions];
        Words::default().each(text, |word| {
            if !is_stopword(word) {
                self.add(word, &mut sum);
            }
        });
        sum
    }
}

/// The first line of word2vec and fastText: how many words, how many numbers each.
fn is_header(line: &str) -> bool {
    let is_count = |part: &str| part.parse::<u32>().is_ok();
    let parts: Vec<_> = line.split_ascii_whitespace().take(3).collect();
    parts.len() == 2 && parts.into_iter().all(is_count)
}

/// Whether a text that has this word asks for just it.
fn is_one_word(word: &str) -> bool {
    let mut is_it = false;
    Words::default().each(word, |found| is_it = found == word);
    is_it
}
