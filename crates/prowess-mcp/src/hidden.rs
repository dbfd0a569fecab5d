//! The note about skills that are hidden until a person trusts their folder.

use prowess::registry::HiddenProject;
use prowess::text::{clipped, counted};
use prowess::{Catalog, Policies, Runtime, ShowLocation};

/// The maximum length of the note, in characters.
const MOST_NOTE: usize = 600;

/// Returns whether clients may see paths of this machine.
pub(crate) fn shows_paths(runtime: &Runtime) -> bool {
    shows_locations(runtime.policies())
}

fn shows_locations(policies: &Policies) -> bool {
    policies.delivery.show_location == ShowLocation::Absolute
}

/// Returns the note for a model, with the step that shows the skills where paths may be seen; empty
/// if none is hidden. It reaches clients that show their users no log.
pub(crate) fn note(catalog: &Catalog, policies: &Policies) -> String {
    let hidden = HiddenProject::all(catalog);
    let skills: usize = hidden.iter().map(|project| project.skills).sum();
    if skills == 0 {
        return String::new();
    }
    let messages: Vec<_> = hidden.iter().map(HiddenProject::message).collect();
    let note = format!("Tell the user, because only they may decide: {}.", messages.join("; "));
    if shows_locations(policies) && note.chars().count() <= MOST_NOTE {
        return clipped(&note, MOST_NOTE);
    }
    let (skills, step) = (counted(skills, "skill"), &policies.commands.diagnose);
    format!(
        "Tell the user: {skills} of this server cannot be used, because its operator has not \
         trusted the folder; to see its name, {step} there."
    )
}

/// Appends the note to a text, as a paragraph.
pub(crate) fn with_note(mut text: String, note: &str) -> String {
    if !text.is_empty() && !note.is_empty() {
        text.push_str("\n\n");
    }
    text + note
}
