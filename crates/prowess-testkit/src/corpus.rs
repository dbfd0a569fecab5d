//! A deterministic corpus of any size, like the public one in its measures.

/// One generated skill.
#[derive(Clone, Debug)]
pub struct CorpusSkill {
    /// The name of its directory.
    pub directory: String,
    /// Its `SKILL.md`.
    pub skill_md: String,
}

/// Skills by number: a corpus of 1,000 is a prefix of one of 10,000.
#[derive(Clone, Debug)]
pub struct Corpus {
    seed: u64,
}

impl Corpus {
    /// The corpus of this seed.
    pub fn new(seed: u64) -> Self {
        Self { seed }
    }
}
