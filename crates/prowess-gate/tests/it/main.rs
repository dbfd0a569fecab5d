//! Tests of decisions through the public interface.

mod approvals;
mod attacks;
mod behind;
mod ceiling;
mod consent;
mod corpora;
mod explain;
mod night;
mod oracle;
mod patterns;
mod policy;
mod reach;
mod refusals;
mod restriction;
mod semantics;
mod shell;
mod support;
mod vectors;
