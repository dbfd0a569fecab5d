//! What an author uses. What a host makes of it is tested where hosts are.
#![allow(unsafe_code, reason = "a symbol is looked at")]

mod author;
mod manifest;
