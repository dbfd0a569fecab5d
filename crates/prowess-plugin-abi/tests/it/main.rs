//! Tests of the boundary types, and of their compatibility with released versions.
#![allow(unsafe_code, reason = "a frozen copy of the boundary is compiled here")]

mod blob;
mod compatibility;
mod frame;
mod golden;
mod night;
mod text;
