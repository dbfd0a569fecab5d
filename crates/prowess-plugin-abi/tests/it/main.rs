//! What crosses the boundary, compared with what was released.
#![allow(unsafe_code, reason = "frozen copies of the boundary are compiled here")]

mod blob;
mod compatibility;
mod frame;
mod golden;
mod text;

/// The boundary as it was released, word for word; never edited.
#[allow(dead_code, unused_imports, reason = "only its layout is looked at")]
#[path = "../../fixtures/abi-1.0/mod.rs"]
mod v1_0;

/// As above.
#[allow(dead_code, unused_imports, reason = "only its layout is looked at")]
#[path = "../../fixtures/abi-1.1/mod.rs"]
mod v1_1;
