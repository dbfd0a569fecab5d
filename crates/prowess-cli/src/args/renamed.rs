//! The commands that became options of others.

/// The old name of each, and the command that replaces it.
const RENAMED: [(&str, &str); 9] = [
    ("explain-call", "prowess call TOOL JSON --explain"),
    ("lock", "prowess sync --import FILE, or --export"),
    ("outdated", "prowess update --check"),
    ("probe", "prowess search --probe FILE"),
    ("quarantine", "prowess sync --quarantine, or --release DIGEST FILE"),
    ("rollback", "prowess update --rollback ID"),
    ("schema", "prowess validate --schema"),
    ("shell", "prowess run --shell"),
    ("stats", "prowess audit stats"),
];

/// Returns the command that replaces an old one.
pub(super) fn replacement(name: &str) -> Option<&'static str> {
    RENAMED.iter().find(|(old, _)| *old == name).map(|(_, new)| *new)
}
