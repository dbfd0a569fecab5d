//! A runtime for Agent Skills: the facade over the layered crates
#![forbid(unsafe_code)]
