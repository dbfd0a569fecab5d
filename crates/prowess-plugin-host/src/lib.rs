//! Plugins, from a file that nobody trusts to the traits of the core.
//!
//! A plugin is a dynamic library, and opening one runs its code. So everything that can be known
//! without opening it is looked at first, and what is then opened are the bytes that were looked at.
#![deny(unsafe_code)]
