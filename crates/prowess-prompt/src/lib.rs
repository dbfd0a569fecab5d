//! Records and bodies to text under a token budget, as pure functions
#![forbid(unsafe_code)]
