//! The kits are held to what they are for: good parts pass, and each rule can be broken.

mod broken_source;
mod source_kit;
