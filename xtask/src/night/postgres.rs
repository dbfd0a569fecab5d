//! Tests over a real PostgreSQL server, which each of them starts.

use crate::process::{Failure, cargo_with};

/// Runs the tests of the stores, then those of servers over one of them.
pub(crate) fn run() -> Result<(), Failure> {
    let test = ["test", "--package", "prowess-postgres", "--test", "it", "--"];
    cargo_with(&[], test.into_iter().chain(["night::", "--nocapture", "--test-threads", "2"]))?;
    let features = ["--features", "http,postgres", "--test", "it", "--", "night::postgres"];
    cargo_with(&[], ["test", "--package", "prowess-cli"].into_iter().chain(features))
}
