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

pub mod async_hosts;
pub mod authoring;
pub mod embedding;
pub mod migrating;
pub mod operating;
pub mod security;
pub mod sources;
pub mod stores;
pub mod traces;
