//! The task runner.

fn main() {}
