//! A source of your own.
#![forbid(unsafe_code)]

fn main() {}
