//! A source of your own.

fn main() {}
