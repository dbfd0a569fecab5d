//! Whether the rule of a skill reaches outside of its package and the working directory.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::{CommandPattern, PatternKind, PatternWord};
use crate::ToolRule;

/// The kinds of programs whose words need not show what they reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramKind {
    /// A shell, which may be given a line.
    Shell,
    /// An interpreter, which may be given a text instead of a file.
    Language,
    /// A program that takes its commands from a text or from its input, such as an editor.
    Console,
    /// A program that runs others as another user, in another place or at another host.
    Elsewhere,
}

/// The kinds of programs by their names, of which each line has one kind's.
static KINDS: LazyLock<HashMap<&str, ProgramKind>> = LazyLock::new(|| {
    use ProgramKind::{Console, Elsewhere, Language, Shell};
    let lines = include_str!("programs.txt").lines().zip([Shell, Language, Console, Elsewhere]);
    let names = lines.map(|(names, kind)| (names.split_ascii_whitespace(), kind));
    names.flat_map(|(names, kind)| names.map(move |name| (name, kind))).collect()
});

/// The ends of names of the same program, built in another way.
const VARIANTS: &str = "-static -dbg -debug -multiarch -nox -gtk -lucid -jit -dev .basic .tiny .gtk .nox \
    -stable -nightly";

impl ProgramKind {
    /// Returns the kind of a program by its name, whose version does not matter: `python3.11` is
    /// `python`.
    pub fn of(name: &str) -> Option<Self> {
        let lower = name.to_ascii_lowercase();
        let is_end = |it: char| it.is_ascii_digit() || matches!(it, '.' | '_' | '-');
        if !lower.contains(is_end) {
            return KINDS.get(&*lower).copied();
        }
        let plain = lower.trim_end_matches(is_end);
        // `python3.11-dbg`, `vim.gtk3`, `x86_64-linux-gnu-python3`
        let mut ends = VARIANTS.split_ascii_whitespace();
        let plain = ends.find_map(|end| plain.strip_suffix(end)).unwrap_or(plain);
        let plain = plain.rsplit_once("-linux-gnu-").map_or(plain, |(_, program)| program);
        let plain = plain.trim_end_matches(is_end);
        KINDS.get(plain).or_else(|| KINDS.get(&*lower)).copied()
    }
}

/// Returns whether a rule about files names paths outside of the skill and the working directory.
/// The gate needs a person for those.
pub(crate) fn is_outside(rule: &ToolRule) -> bool {
    let pattern = rule.pattern.as_deref().unwrap_or_default().trim();
    PatternKind::of(&rule.tool) == Some(PatternKind::Path) && pattern.starts_with(['/', '~'])
}

/// Returns whether a rule covers commands that may reach outside of the skill and the working
/// directory, such as `Bash`, `Bash(sudo:*)` and `Bash(cat /etc/*)`. The gate needs a person for
/// those.
pub fn covers_commands_outside(rule: &ToolRule) -> bool {
    let pattern = rule.pattern.as_deref().map_or("*", str::trim);
    let covers = |one: &CommandPattern<'_>| {
        let mut words = one.words();
        let program = words.next().map_or("", |word| word.0);
        // `python3 scripts/a.py` shows what it runs, `python3:*` does not.
        let is_open =
            words.clone().next().map_or(one.is_prefix(), |it| it.0.starts_with(['-', '*']));
        let is_opaque = match ProgramKind::of(program.rsplit('/').next().unwrap_or_default()) {
            Some(ProgramKind::Shell | ProgramKind::Language) => is_open,
            kind => kind.is_some(),
        };
        is_opaque || words.any(leads_out)
    };
    let has_one = || CommandPattern::parse(pattern).is_ok_and(|all| all.iter().any(covers));
    PatternKind::of(&rule.tool) == Some(PatternKind::Command) && (pattern == "*" || has_one())
}

fn leads_out(word: PatternWord<'_>) -> bool {
    let mut parts = word.0.split(['=', ',', '@', ':', '\'', '"', '<']);
    let is_own = word.names_directory() || word.0.contains("://");
    let is_far = |part: &str| part.starts_with('/') || part.split('/').any(|part| part == "..");
    !is_own && parts.any(is_far)
}
