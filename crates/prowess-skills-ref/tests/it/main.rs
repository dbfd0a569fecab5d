//! The reference tool's answers, and input that would make it crash.

mod messages;
mod properties;
