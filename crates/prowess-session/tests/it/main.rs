//! Tests of sessions through the public interface.

mod approvals;
mod boundaries;
mod faulty_store;
mod fixture;
mod lifetime;
mod operations;
mod properties;
mod runs;
mod stores;
mod threads;
