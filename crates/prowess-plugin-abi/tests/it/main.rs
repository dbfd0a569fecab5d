//! Tests of the boundary types, and of their compatibility with released versions.
#![allow(unsafe_code, reason = "frozen copies of the boundary are compiled here")]

mod blob;
mod compatibility;
mod frame;
mod golden;
mod text;

/// A copy of the released types, which is never edited.
#[allow(dead_code, unused_imports, reason = "only its layout is looked at")]
#[path = "../../fixtures/abi-1.0/mod.rs"]
mod v1_0;

/// A copy of the released types, which is never edited.
#[allow(dead_code, unused_imports, reason = "only its layout is looked at")]
#[path = "../../fixtures/abi-1.1/mod.rs"]
mod v1_1;
