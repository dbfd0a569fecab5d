//! Every encoder against the hostile corpus, and the cases of each destination.

mod count;
mod hostile;
mod invisible;
mod json;
mod markdown;
mod model;
mod sentence;
mod shell;
mod terminal;
mod xml;

#[allow(dead_code, reason = "only its tests are used")]
#[path = "../../src/bytes.rs"]
mod bytes;
