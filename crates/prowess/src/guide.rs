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

pub mod async_hosts;
pub mod authoring;
pub mod embedding;
pub mod migrating;
pub mod operating;
pub mod sources;
pub mod stores;
