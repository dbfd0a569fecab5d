//! Models of several hosts and people; all of it is tests.
