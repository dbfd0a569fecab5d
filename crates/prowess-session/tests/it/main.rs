//! Tests of sessions through the public interface.

mod answers;
mod approvals;
mod audited_approvals;
mod boundaries;
mod contents;
mod disciplines;
mod faulty_store;
mod fixture;
mod forks;
mod ledger;
mod lifetime;
mod model;
mod operations;
mod runs;
mod simulated;
mod simulation;
mod stores;
mod tasks;
mod threads;
mod transfer;
mod vectors;
