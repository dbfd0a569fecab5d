//! Tests of the kits themselves.

mod corpus;
