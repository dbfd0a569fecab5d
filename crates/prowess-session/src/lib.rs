//! What each conversation has loaded
#![forbid(unsafe_code)]
