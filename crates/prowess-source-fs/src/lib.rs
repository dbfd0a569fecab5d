//! Skills in a directory tree
#![forbid(unsafe_code)]
