//! The hosts of a grant.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::HostPatternError;

/// The ports of a pattern that names none.
const WEB: [u16; 2] = [80, 443];

/// Hosts and ports, as an operator writes them: `api.example.com`, `*.example.com` for every host
/// below a domain, `*` for every host; `:8443` behind it for a port and `:*` for every one. By
/// default the ports of the web: 80 and 443.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct HostPattern {
    text: String,
    name: Name,
    ports: Ports,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Name {
    Every,
    /// Every host whose name ends with this, which begins with a dot.
    Below(String),
    One(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Ports {
    Web,
    Every,
    One(u16),
}

impl HostPattern {
    /// Reads a pattern.
    ///
    /// # Errors
    ///
    /// The text names no hosts.
    pub fn new(text: &str) -> Result<Self, HostPatternError> {
        parse(text).ok_or_else(|| HostPatternError(text.to_owned()))
    }

    /// Returns the pattern as it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns whether the pattern names a single host. Its port may be any.
    pub fn is_one_host(&self) -> bool {
        matches!(self.name, Name::One(_))
    }

    /// Returns whether a host, in lower case, and a port are of this pattern.
    pub fn matches(&self, host: &str, port: u16) -> bool {
        let has_port = match self.ports {
            Ports::Web => WEB.contains(&port),
            Ports::Every => true,
            Ports::One(one) => one == port,
        };
        let has_name = match &self.name {
            // An address is granted by itself.
            Name::Every => host.parse::<IpAddr>().is_err(),
            Name::Below(end) => host.len() > end.len() && host.ends_with(end.as_str()),
            Name::One(one) => one == host,
        };
        has_port && has_name
    }
}

impl FromStr for HostPattern {
    type Err = HostPatternError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::new(text)
    }
}

impl TryFrom<String> for HostPattern {
    type Error = HostPatternError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::new(&text)
    }
}

impl From<HostPattern> for String {
    fn from(pattern: HostPattern) -> Self {
        pattern.text
    }
}

impl fmt::Display for HostPattern {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

fn parse(text: &str) -> Option<HostPattern> {
    let (host, port) = split(text)?;
    let ports = match port {
        None => Ports::Web,
        Some("*") => Ports::Every,
        Some(port) => Ports::One(parse_port(port)?),
    };
    let name = match host.strip_prefix("*.") {
        _ if host == "*" => Name::Every,
        Some(domain) => Name::Below(format!(".{}", host_name(domain)?)),
        None => Name::One(host_name(host)?),
    };
    Some(HostPattern { text: text.to_owned(), name, ports })
}

/// Splits a host from its port. An address of IPv6 is in brackets, which are left out.
pub(crate) fn split(text: &str) -> Option<(&str, Option<&str>)> {
    let (host, rest) = match text.strip_prefix('[') {
        Some(rest) => rest.split_once(']')?,
        None => text.split_at(text.find(':').unwrap_or(text.len())),
    };
    match rest {
        "" => Some((host, None)),
        _ => Some((host, Some(rest.strip_prefix(':')?))),
    }
}

pub(crate) fn parse_port(text: &str) -> Option<u16> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|&port| is_number && port != 0)
}

/// Returns a name or an address in its one form: in lower case, and without the last dot.
pub(crate) fn host_name(text: &str) -> Option<String> {
    if let Ok(address) = text.parse::<IpAddr>() {
        return Some(address.to_string());
    }
    let name = text.strip_suffix('.').unwrap_or(text).to_ascii_lowercase();
    // A number at the end would be read as an address in one of its other forms.
    let last = name.rsplit('.').next()?;
    let is_address = last.bytes().all(|byte| byte.is_ascii_digit()) || last.starts_with("0x");
    let is_name = name.len() <= 253 && name.split('.').all(is_label);
    (is_name && !is_address).then_some(name)
}

/// Returns whether a part of a name has the letters and the length of one.
fn is_label(label: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    (1..=63).contains(&label.len()) && label.bytes().all(is_letter)
}
