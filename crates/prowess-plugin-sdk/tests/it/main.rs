//! What an author uses. What a host makes of it is tested where hosts are.
#![allow(unsafe_code, reason = "a symbol is looked at")]
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod author;
mod boundary;
mod manifest;
