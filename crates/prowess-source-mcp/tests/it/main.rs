//! Tests of the source, against servers of our own over HTTP and over the streams of programs.
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod away;
mod extension;
mod greeted;
mod hostile_answers;
mod hostile_lists;
mod kit;
mod named;
mod options;
mod peer;
mod programs;
mod resources;
mod skills;
