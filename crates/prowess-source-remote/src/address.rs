//! The addresses that a program or a request may connect to.

use std::net::{IpAddr, ToSocketAddrs as _};

use prowess_core::{RemoteError, RemoteErrorKind};
use prowess_egress::is_public;

use crate::http_options::HttpOptions;

/// The error of a host whose addresses are all private.
#[derive(Debug)]
pub(crate) struct PrivateAddress(String);

impl PrivateAddress {
    pub(crate) fn of(host: &str, options: &HttpOptions) -> Self {
        let way = options.way_to_name(host);
        Self(format!("`{host}` is in a private network; {way} allows it"))
    }
}

impl std::fmt::Display for PrivateAddress {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for PrivateAddress {}

/// Returns the addresses of a host for a program that connects by itself.
///
/// # Errors
///
/// The host has no address, or only private ones and the user has not named it.
pub(crate) fn checked(
    host: &str,
    port: u16,
    options: &HttpOptions,
) -> Result<Vec<IpAddr>, RemoteError> {
    let found = (host.trim_matches(['[', ']']), port).to_socket_addrs().map_err(|error| {
        let message = format!("`{host}` cannot be reached: {error}");
        RemoteError::new(RemoteErrorKind::Unavailable, message)
    })?;
    let is_named = options.is_named(host, port);
    let mut allowed: Vec<_> = found.map(|address| address.ip()).collect();
    allowed.retain(|&address| is_named || is_public(address));
    if allowed.is_empty() {
        let message = PrivateAddress::of(host, options).to_string();
        return Err(RemoteError::new(RemoteErrorKind::Denied, message));
    }
    Ok(allowed)
}
