//! Written by the measuring work that follows.

fn main() {}
