//! Paths of the system that confined programs need.

/// Directories with libraries, of which the dynamic loader is one.
pub(super) const LIBRARIES: [&str; 6] =
    ["/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64"];

/// Further paths that the C library reads: its cache, time zones and sources of randomness.
pub(super) const SYSTEM: [&str; 7] = [
    "/etc/ld.so.cache",
    "/usr/share/zoneinfo",
    "/etc/localtime",
    "/dev/urandom",
    "/dev/random",
    "/dev/zero",
    "/proc/self",
];

/// Paths needed to resolve hosts.
pub(super) const NAMES: [&str; 4] =
    ["/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/gai.conf"];

/// Paths needed to check the certificates of hosts. Keys of this machine are next to them.
pub(super) const CERTIFICATES: [&str; 6] = [
    "/etc/ssl/certs",
    "/etc/ssl/cert.pem",
    "/etc/ssl/openssl.cnf",
    "/etc/pki/tls/certs",
    "/etc/pki/ca-trust/extracted",
    "/usr/share/ca-certificates",
];

/// Paths that can always be written to.
pub(super) const DISCARD: [&str; 2] = ["/dev/null", "/dev/full"];

/// The links of a system that lead from a program's name to one of several versions.
pub(super) const ALTERNATIVES: &str = "/etc/alternatives";

/// The directory for temporary files.
pub(super) const TEMPORARY: &str = "/tmp";
