//! Phrases that state when to use a skill, in the languages that skills are written in.

use crate::words::words;

/// Words of descriptions.
const WORDS: &[&str] = &[
    "when", "whenever", "while", "use", "used", "uses", "using", "useful", "trigger", "triggers",
    "triggered", "invoke", "invoked", "activate", "activates", "before", "after", "asks", "if",
    "during", "wenn", "cuando", "lorsque", "quando", "когда", "коли",
];

/// Parts of sentences, and of headings such as `## Use cases`.
const PHRASES: &[&str] = &[
    "when to", "use when", "use this", "when not", "whenever", "when the user", "when you",
    "use case", "use it ", "trigger", "activat", "invoke", "when working", "applies to",
    "applicab", "scenarios", "wann ", "cuándo", "cuando", "quand ", "lorsque", "quando", "когда",
    "использ",
];

/// Parts of words in scripts without spaces, or with endings on each word.
const PARTS: &[&str] = &[
    "使用", "适用", "適用", "用于", "用於", "何时", "何時", "时机", "時機", "场景", "場景", "触发",
    "觸發", "激活", "啟動", "当", "當", "时", "時", "場合", "場面", "とき", "際に", "トリガー",
    "발동", "때", "경우", "사용", "트리거",
];

/// Returns whether a description says when to use the skill.
pub(crate) fn description_says_when(description: &str) -> bool {
    words(description).any(|word| WORDS.contains(&&*word)) || has_part(description)
}

/// Returns whether a body says when to use the skill.
pub(crate) fn body_says_when(body: &str) -> bool {
    let lower = body.to_lowercase();
    PHRASES.iter().any(|phrase| lower.contains(phrase)) || has_part(body)
}

fn has_part(text: &str) -> bool {
    !text.is_ascii() && PARTS.iter().any(|part| text.contains(part))
}
