//! A deterministic corpus of any size, with the measures of public skills.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::LazyLock;

use crate::Random;

type Words = LazyLock<Vec<&'static str>>;

fn words(text: &'static str) -> Vec<&'static str> {
    text.split(' ').collect()
}

/// Words that descriptions and bodies are made of. A few of them are frequent, as in real text.
static WORDS: Words = Words::new(|| {
    words(
        "the and with file when user data report table query deploy review schema branch metric \
    invoice figure client server policy release cluster profile picture contract calendar \
    notebook pipeline gradient protocol inventory benchmark migration dashboard transcript",
    )
});

/// The subjects of skills, used in their names.
static SUBJECTS: Words = Words::new(|| {
    words(
        "pdf invoice sql kubernetes chart genome email budget review release translation calendar \
    terraform audio contract survey",
    )
});

/// The verbs in names of skills.
static VERBS: Words =
    Words::new(|| words("extract summarise check plan convert merge draft explain"));

/// Generates skills by number: a corpus of 1,000 is a prefix of one of 10,000, and equal seeds give
/// equal bytes on every machine.
///
/// The lengths of frontmatter, description and body, the number of further files and the share of
/// block scalars among the descriptions follow measurements of public skills.
#[derive(Clone, Copy, Debug)]
pub struct Corpus {
    seed: u64,
}

/// One generated skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CorpusSkill {
    /// The name of the skill and of its directory.
    pub name: String,
    /// The content of the `SKILL.md`.
    pub skill_md: String,
    /// The other files, by path in the package.
    pub resources: Vec<(String, String)>,
}

impl Corpus {
    /// Creates the corpus of this seed.
    pub fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// Returns the skill with this number.
    pub fn skill(&self, number: usize) -> CorpusSkill {
        let mut random = Random::new(self.seed, number as u64);
        let subject = random.choose(&SUBJECTS);
        let verb = random.choose(&VERBS);
        let name = format!("{subject}-{verb}-{number:05}");
        let description = description(&mut random, subject, verb);
        let mut skill_md = format!("---\nname: {name}\n");
        write_description(&mut skill_md, &mut random, &description);
        write_further_fields(&mut skill_md, &mut random);
        let _ = write!(skill_md, "---\n\n# {subject}: {verb}\n\n");
        let body = random.length(&[(50, 6_500), (45, 18_000), (4, 20_000), (1, 49_000)]);
        paragraphs(&mut skill_md, &mut random, body);
        let resources = resources(&mut random);
        CorpusSkill { name, skill_md, resources }
    }

    /// Iterates over the first `count` skills.
    pub fn skills(&self, count: usize) -> impl Iterator<Item = CorpusSkill> + use<> {
        let corpus = *self;
        (0..count).map(move |number| corpus.skill(number))
    }

    /// Writes the first `count` skills as directories of `root`.
    pub fn write(&self, root: &Path, count: usize) -> io::Result<()> {
        for skill in self.skills(count) {
            let package = root.join(&skill.name);
            fs::create_dir_all(&package)?;
            fs::write(package.join("SKILL.md"), &skill.skill_md)?;
            for (path, content) in &skill.resources {
                let file = package.join(path);
                if let Some(parent) = file.parent() {
                    fs::create_dir_all(parent)?;
                }
                fs::write(file, content)?;
            }
        }
        Ok(())
    }
}

fn description(random: &mut Random, subject: &str, verb: &str) -> String {
    let length = random.length(&[(50, 190), (45, 330), (5, 380)]);
    let mut text = format!("Helps to {verb} each {subject}");
    while text.len() < length {
        text.push(' ');
        text.push_str(random.choose(&WORDS));
    }
    let _ = write!(text, ". Use when the user wants to {verb} a {subject}.");
    text
}

/// Most descriptions are plain; some are quoted, some are folded blocks.
fn write_description(skill_md: &mut String, random: &mut Random, description: &str) {
    let _ = match random.below(100) {
        0..20 => writeln!(skill_md, "description: \"{description}\""),
        20..35 => {
            skill_md.push_str("description: >\n");
            for line in description.as_bytes().chunks(80) {
                let _ = write!(skill_md, "  {}", String::from_utf8_lossy(line).trim());
                skill_md.push('\n');
            }
            Ok(())
        }
        _ => writeln!(skill_md, "description: {description}"),
    };
}

fn write_further_fields(skill_md: &mut String, random: &mut Random) {
    if random.below(100) < 40 {
        skill_md.push_str("license: MIT\n");
    }
    if random.below(100) < 30 {
        skill_md.push_str("allowed-tools: Read Bash(git:*)\n");
    }
    if random.below(100) < 30 {
        let version = random.below(9);
        let _ = write!(skill_md, "metadata:\n  author: somebody\n  version: \"1.{version}\"\n");
    }
}

fn paragraphs(text: &mut String, random: &mut Random, length: usize) {
    let end = text.len() + length;
    while text.len() < end {
        for _ in 0..12 {
            text.push_str(random.choose(&WORDS));
            text.push(' ');
        }
        text.pop();
        text.push_str(if random.below(4) == 0 { ".\n\n" } else { "\n" });
    }
}

/// Generates further files: one at the median, a dozen at the 95th percentile.
fn resources(random: &mut Random) -> Vec<(String, String)> {
    let count = random.length(&[(40, 1), (20, 1), (30, 5), (10, 12)]);
    let resource = |number: usize, random: &mut Random| {
        let folder = random.choose(&["references", "scripts", "assets"]);
        let mut content = String::new();
        paragraphs(&mut content, random, 300);
        (format!("{folder}/part-{number}.md"), content)
    };
    (0..count).map(|number| resource(number, random)).collect()
}
