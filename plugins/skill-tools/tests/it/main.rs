//! One conversation with linked tools and with the plugin's gives the same results.
#![allow(clippy::unwrap_used)]

mod conversation;
mod host;
