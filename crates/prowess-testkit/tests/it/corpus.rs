//! The generated corpus is deterministic and has the measures of public skills.

use prowess_format::{Profile, parse};
use prowess_testkit::{Corpus, CorpusSkill};

/// The values at the median and at the 95th percentile.
fn percentiles(skills: &[CorpusSkill], measure: impl Fn(&CorpusSkill) -> usize) -> (usize, usize) {
    let mut values: Vec<_> = skills.iter().map(measure).collect();
    values.sort_unstable();
    (values[values.len() / 2], values[values.len() * 95 / 100])
}

#[test]
fn equal_seeds_give_equal_prefixes() {
    let small: Vec<_> = Corpus::new(7).skills(50).collect();
    let large: Vec<_> = Corpus::new(7).skills(200).collect();
    assert_eq!(small, large[..50], "the first skills of a larger corpus are the smaller corpus");
    let other: Vec<_> = Corpus::new(8).skills(50).collect();
    assert_ne!(small, other, "another seed gives another corpus");
}

#[test]
fn measures_match_public_skills() {
    let skills: Vec<_> = Corpus::new(1).skills(1_000).collect();
    let near = |what: &str, (median, high): (usize, usize), wanted: (usize, usize)| {
        let is_near = |is: usize, wanted: usize| is * 4 >= wanted * 3 && is * 3 <= wanted * 4;
        assert!(
            is_near(median, wanted.0) && is_near(high, wanted.1),
            "{what}: {median} and {high} at the median and the 95th percentile, wanted {wanted:?}",
        );
    };
    near(
        "bytes of a SKILL.md",
        percentiles(&skills, |skill| skill.skill_md.len()),
        (7_000, 23_500),
    );
    let description = |skill: &CorpusSkill| {
        let parsed = parse(skill.skill_md.as_bytes(), Profile::Lenient);
        parsed.document.expect("each generated skill is valid").frontmatter.description.len()
    };
    near("bytes of a description", percentiles(&skills, description), (248, 645));
    let (median, high) = percentiles(&skills, |skill| skill.resources.len());
    assert!((1..=2).contains(&median) && (6..=19).contains(&high), "{median} and {high} resources");
}
