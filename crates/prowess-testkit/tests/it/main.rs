//! The kits are held to what they are for: good parts pass, and each rule can be broken.

mod broken_source;
mod proposal_kit;
mod remote_kit;
#[cfg(unix)]
mod script_kit;
mod source_kit;
