//! Resolves the names of requests, and keeps their addresses for a minute.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use prowess_egress::is_public;
use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

use crate::address::PrivateAddress;
use crate::http_options::HttpOptions;

/// How long the addresses of a name are kept.
const KEPT: Duration = Duration::from_secs(60);

/// Resolves names to addresses, and refuses private ones. A connection uses exactly the addresses
/// that were checked, so a name that means another address a moment later changes nothing.
///
/// A client resolves the name at each request, also if it has a connection to that host, and each
/// lookup takes a thread. So addresses are kept for the requests that follow.
#[derive(Debug)]
pub(crate) struct PublicResolver<R = DefaultResolver> {
    options: HttpOptions,
    lookup: R,
    kept: KeptAddresses,
}

impl PublicResolver {
    pub(crate) fn new(options: HttpOptions, kept: KeptAddresses) -> Self {
        Self { options, lookup: DefaultResolver::default(), kept }
    }
}

impl<R: Resolver> PublicResolver<R> {
    /// Returns the allowed addresses among these.
    fn allowed(
        &self,
        host: &str,
        found: &[SocketAddr],
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let mut allowed = self.empty();
        for address in found {
            if is_public(address.ip()) || self.options.is_named(host, address.port()) {
                allowed.push(*address);
            }
        }
        if allowed.is_empty() {
            let private = PrivateAddress::of(host, &self.options);
            return Err(ureq::Error::Other(Box::new(private)));
        }
        Ok(allowed)
    }
}

impl<R: Resolver> Resolver for PublicResolver<R> {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let host = uri.host().unwrap_or_default();
        let parts = uri.scheme().zip(uri.authority());
        let place = parts.and_then(|(scheme, it)| DefaultResolver::host_and_port(scheme, it));
        let place = place.unwrap_or_default();
        if let Ok(address) = place.parse() {
            return self.allowed(host, &[address]);
        }
        if let Some(known) = self.kept.get(&place) {
            return Ok(known);
        }
        let allowed = self.allowed(host, &self.lookup.resolve(uri, config, timeout)?)?;
        self.kept.insert(place, allowed.clone());
        Ok(allowed)
    }
}

/// The allowed addresses of names and ports, which are kept for a minute.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeptAddresses(Arc<Mutex<BTreeMap<String, (Instant, ResolvedSocketAddrs)>>>);

impl KeptAddresses {
    /// Forgets all addresses, because a server may have moved to another one.
    pub(crate) fn clear(&self) {
        self.lock().clear();
    }

    fn get(&self, place: &str) -> Option<ResolvedSocketAddrs> {
        let mut known = self.lock();
        known.retain(|_, (since, _)| since.elapsed() < KEPT);
        known.get(place).map(|(_, addresses)| addresses.clone())
    }

    fn insert(&self, place: String, addresses: ResolvedSocketAddrs) {
        self.lock().insert(place, (Instant::now(), addresses));
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, (Instant, ResolvedSocketAddrs)>> {
        // Each entry is inserted as a whole, so a poisoned lock holds valid ones.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Counts the lookups of the system's resolver.
    #[derive(Debug, Default)]
    struct Counted(Arc<AtomicUsize>);

    impl Resolver for Counted {
        fn resolve(
            &self,
            uri: &Uri,
            config: &Config,
            timeout: NextTimeout,
        ) -> Result<ResolvedSocketAddrs, ureq::Error> {
            self.0.fetch_add(1, Ordering::Relaxed);
            DefaultResolver::default().resolve(uri, config, timeout)
        }
    }

    #[test]
    fn name_is_looked_up_once() {
        let named_hosts = vec!["localhost:81".to_owned(), "127.0.0.1".to_owned()];
        let options = HttpOptions { named_hosts, ..HttpOptions::default() };
        let kept = KeptAddresses::default();
        let lookup = Counted::default();
        let count = Arc::clone(&lookup.0);
        let resolver = PublicResolver { options, lookup, kept: kept.clone() };
        let resolve = |uri: &str| {
            let uri = uri.parse().expect("it is a URI");
            let config = ureq::Agent::config_builder().build();
            resolver.resolve(&uri, &config, NextTimeout::default()).is_ok()
        };
        assert!(resolve("http://127.0.0.1:81/"));
        assert_eq!(count.load(Ordering::Relaxed), 0, "an address is no name");
        assert!(resolve("http://localhost:81/") && resolve("http://localhost:81/a"));
        assert_eq!(count.load(Ordering::Relaxed), 1, "the second request needs no lookup");
        assert!(!resolve("http://localhost:82/"), "what is kept is of one port");
        assert!(!resolve("http://localhost:82/"), "a refusal stays one");
        assert_eq!(count.load(Ordering::Relaxed), 3, "refused addresses are not kept");
        kept.clear();
        assert!(resolve("http://localhost:81/"));
        assert_eq!(count.load(Ordering::Relaxed), 4, "a failed connection ends what is kept");
    }
}
