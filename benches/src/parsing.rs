//! Reads frontmatters, also by a YAML crate that reads two fields.

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

/// The files of the first `count` skills.
pub fn files(count: usize) -> Vec<String> {
    let corpus = Corpus::new(SEED);
    (0..count).map(|at| corpus.skill(at).skill_md).collect()
}

/// Reads each frontmatter as discovery does, with every check of the default profile; gives the
/// length of what was read.
pub fn by_us(files: &[String]) -> usize {
    files.iter().map(|file| one(file.as_bytes())).sum()
}

/// Reads one frontmatter so.
pub fn one(file: &[u8]) -> usize {
    let head = Head { bytes: file, is_whole_file: true };
    match summarize(head, None, Profile::default()) {
        Summarized::Done(Some(summary), _) => summary.name.len() + summary.description.len(),
        other => panic!("the corpus is valid: {other:?}"),
    }
}

/// Reads each frontmatter with the successor of serde_yaml.
pub fn by_serde_yaml(files: &[String]) -> usize {
    // It refuses some real ones, after its work.
    let read = |file: &String| serde_yaml::from_str(frontmatter(file)).ok();
    let found = files.iter().filter_map(read);
    found.map(|Typed { name, description }| name.len() + description.len()).sum()
}

/// The text between the two fences.
fn frontmatter(file: &str) -> &str {
    let between = file.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n"));
    between.map_or("", |(frontmatter, _)| frontmatter)
}
