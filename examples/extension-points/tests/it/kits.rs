//! The programs whose tests check an implementation by its kit: as modules, they are built once for
//! all.
#![allow(dead_code, reason = "their `main` is run by the other tests")]

#[path = "../../src/bin/approval_store/main.rs"]
mod approval_store;
#[path = "../../src/bin/ranker.rs"]
mod ranker;
#[path = "../../src/bin/remote/main.rs"]
mod remote;
#[path = "../../src/bin/session_store/main.rs"]
mod session_store;
#[path = "../../src/bin/skill_source/main.rs"]
mod skill_source;
