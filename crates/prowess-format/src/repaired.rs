//! The text of a file as it was read, where it was read otherwise than it is written.

use crate::findings::Findings;
use crate::input::{self, Opened};
use crate::yaml;
use crate::{Code, Rules, codes, repair};

/// A file whose frontmatter is YAML on lines of its own, and what was written otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepairedText {
    /// The whole file.
    pub text: String,
    /// The code of each repair, in the order of the file.
    pub codes: Vec<Code>,
}

/// Returns the file as [`Profile::Lenient`](crate::Profile::Lenient) reads it, if it repairs
/// something.
pub fn repaired(file: &str) -> Option<RepairedText> {
    let rules = Rules::default();
    let mut findings = Findings::new(file.as_bytes(), &rules);
    let Opened::At(fences) = input::open(file.as_bytes(), true, &mut findings) else {
        return None;
    };
    let repaired = |yaml: &str| match yaml::parse(yaml, 0) {
        Ok(_) => Some(None),
        Err(error) => repair::parse(yaml, 0, &error).map(Some),
    };
    let (fences, repaired) = match repaired(&file[fences.yaml.clone()]) {
        Some(repaired) => (fences, repaired),
        None => (input::fences_in_text(file.as_bytes(), &rules)?, None),
    };
    let yaml = &file[fences.yaml.clone()];
    let late = fences.is_late.then_some(codes::FRONTMATTER_NOT_FIRST);
    let shared = fences.is_in_text.then_some(codes::FRONTMATTER_FENCE_IN_TEXT);
    let (copy, codes) = match &repaired {
        Some(read) => (&*read.copy, read.repairs.iter().map(|it| it.code.clone()).collect()),
        None => (yaml, Vec::new()),
    };
    let codes: Vec<_> = late.into_iter().chain(shared).chain(codes).collect();
    let (fence, body) = file[fences.yaml.end..].split_at(fences.body_start - fences.yaml.end);
    let before = file[..fences.opening].trim_matches(['\u{feff}', ' ', '\t', '\r', '\n']);
    let text = match (fences.is_in_text, fences.is_late) {
        // Divided in the midst of lines.
        (true, _) if fence == "---" && before.is_empty() => {
            let body = body.trim_start_matches('-').trim_start_matches(['\r', '\n', ' ']);
            format!("---\n{}\n---\n{body}", copy.trim_matches(['\r', '\n', ' ']))
        }
        (false, false) => [&file[..fences.yaml.start], copy, fence, body].concat(),
        _ if before.is_empty() => ["---\n", copy, fence, body].concat(),
        _ => ["---\n", copy, fence, before, "\n", body].concat(),
    };
    (!codes.is_empty()).then_some(RepairedText { text, codes })
}
