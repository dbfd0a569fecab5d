//! Reads frontmatters, also by YAML crates that read the same two fields.

use prowess_format::{Head, Profile, Summarized, summarize};
use prowess_testkit::Corpus;
use serde::Deserialize;

use crate::corpus::SEED;

/// The least that a client has to know of a skill.
#[derive(Deserialize)]
struct Typed {
    name: String,
    description: String,
}

impl Typed {
    fn length(&self) -> usize {
        self.name.len() + self.description.len()
    }
}

/// The files of the first `count` skills.
pub fn files(count: usize) -> Vec<String> {
    let corpus = Corpus::new(SEED);
    (0..count).map(|at| corpus.skill(at).skill_md).collect()
}

/// Reads each frontmatter as discovery does, with every check of the default profile; gives the
/// length of what was read.
///
/// # Panics
///
/// A file of the corpus is not valid.
pub fn by_us(files: &[String]) -> usize {
    files.iter().map(|file| one(file.as_bytes())).sum()
}

/// Reads one frontmatter so.
///
/// # Panics
///
/// The file is not valid.
pub fn one(file: &[u8]) -> usize {
    let head = Head { bytes: file, is_whole_file: true };
    match summarize(head, None, Profile::default()) {
        Summarized::Done(Some(summary), _) => summary.name.len() + summary.description.len(),
        other => panic!("the corpus is valid: {other:?}"),
    }
}

/// Reads each frontmatter with the successor of serde_yaml.
///
/// # Panics
///
/// A file of the corpus is not valid.
pub fn by_serde_yaml(files: &[String]) -> usize {
    let read = |file: &String| serde_yaml::from_str::<Typed>(frontmatter(file));
    files.iter().map(|file| read(file).expect("the corpus is valid").length()).sum()
}

/// The text between the two fences.
fn frontmatter(file: &str) -> &str {
    let between = file.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n"));
    between.map_or("", |(frontmatter, _)| frontmatter)
}
