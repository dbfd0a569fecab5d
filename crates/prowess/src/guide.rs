//! Pages for hosts.

pub mod async_hosts;
