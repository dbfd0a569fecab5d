//! Tests that build plugins with other dependencies, settings or contents.

mod embedded;
mod faults;
mod old;
mod variants;
