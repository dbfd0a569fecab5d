//! Guides: one page for each kind of reader.
//!
//! | you want to | page |
//! |---|---|
//! | give skills to an agent of your own | [`embedding`] |
//! | do that from async code | [`async_hosts`] |
//! | provide skills from a place of your own | [`sources`] |
//! | store conversations or approvals elsewhere | [`stores`] |
//! | run the server for other people's agents | [`operating`] |
//! | write a skill that models find and can use | [`authoring`] |
//! | come from `skills-ref` or another runtime | [`migrating`] |
//! | know what is promised, and where a promise ends | [`security`] |
//! | collect traces | [`traces`] |

#[doc = include_str!("guide/async_hosts.md")]
pub mod async_hosts {}

#[doc = include_str!("guide/authoring.md")]
pub mod authoring {}

#[doc = include_str!("guide/embedding.md")]
pub mod embedding {}

#[doc = include_str!("guide/migrating.md")]
pub mod migrating {}

#[doc = include_str!("guide/operating.md")]
pub mod operating {}

#[doc = include_str!("guide/security.md")]
pub mod security {}

#[doc = include_str!("guide/sources.md")]
pub mod sources {}

#[doc = include_str!("guide/stores.md")]
pub mod stores {}

#[doc = include_str!("guide/traces.md")]
pub mod traces {}
