//! Root looks at the state of another user, such as that of a service, as that user: a decision is
//! stored for the program that waits for it, and no file of root is left in its way.

use std::os::unix::fs::MetadataExt as _;

use rustix::process::{Gid, Uid, getegid, geteuid};
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, set_capabilities, set_thread_groups,
    set_thread_res_gid, set_thread_res_uid,
};

use crate::args::Command;
use crate::paths::{state_database, surroundings};

/// Returns whether a command writes to the user's state and cache alone, and starts no script.
fn is_of_state(command: Option<&Command>) -> bool {
    matches!(
        command,
        None | Some(
            Command::Approvals { .. }
                | Command::Audit(_)
                | Command::Explain { .. }
                | Command::List(_)
                | Command::Search(_)
                | Command::Show { .. }
                | Command::Trust(_)
        )
    )
}

/// Changes the user of this thread, before there is another, if root is to act as one. Root stays
/// the real user, which a decision names, and still reads what only root may, such as the directory
/// that the state of a service is in.
pub(crate) fn begin(command: Option<&Command>) {
    if geteuid().is_root() && is_of_state(command) {
        // In a container, there may be no such user: the checks of the files say so.
        let _ = begin_as_owner();
    }
}

fn begin_as_owner() -> Option<()> {
    let database = state_database(&surroundings().ok()?)?;
    let state = database.ancestors().find_map(|path| path.metadata().ok())?;
    if state.uid() == 0 {
        return None;
    }
    let (user, group) = (Uid::from_raw(state.uid()), Gid::from_raw(state.gid()));
    let before = getegid();
    // Where no groups can be set, root has none that the files of another user are for.
    let _ = set_thread_groups(&[]);
    set_thread_res_gid(None::<Gid>, group, None::<Gid>).ok()?;
    if set_thread_res_uid(None::<Uid>, user, None::<Uid>).is_err() {
        return set_thread_res_gid(None::<Gid>, before, None::<Gid>).ok();
    }
    let reading = CapabilitySet::DAC_READ_SEARCH;
    let permitted = capabilities(None).ok()?.permitted & reading;
    let inheritable = CapabilitySet::empty();
    set_capabilities(None, CapabilitySets { effective: permitted, permitted, inheritable }).ok()
}
