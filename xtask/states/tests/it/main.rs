//! Every order of the calls of several hosts and people, by a model checker. The steps call the
//! functions that ship. Each model also runs with a fault, which the checker has to find.

mod approvals;
mod proposals;
mod sessions;
