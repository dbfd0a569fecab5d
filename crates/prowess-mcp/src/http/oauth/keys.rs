//! The keys of an authorization server, which it may replace at any time.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use prowess::Clock;
use serde::Deserialize;

use super::FetchDocument;
use super::server_url::ServerUrl;
use super::signature::{self, PublicKey};

/// The age from which on keys are fetched again.
const FRESH: Duration = Duration::from_secs(600);

/// The age up to which keys count while they cannot be fetched.
const USABLE: Duration = Duration::from_secs(3600);

/// The least time between two attempts, whatever tokens are sent.
const PAUSE: Duration = Duration::from_secs(10);

/// Keys and when they were fetched.
#[derive(Clone)]
struct Fetched {
    keys: Arc<Vec<PublicKey>>,
    at: Duration,
}

/// Fetches keys and keeps them.
pub(super) struct Keys {
    issuer: ServerUrl,
    fetch: FetchDocument,
    clock: Arc<dyn Clock>,
    fetched: Mutex<Option<Fetched>>,
    /// The time of the last attempt. Locked during one.
    attempt: Arc<tokio::sync::Mutex<Option<Duration>>>,
}

impl Keys {
    pub(super) fn new(issuer: ServerUrl, fetch: FetchDocument, clock: Arc<dyn Clock>) -> Self {
        Self { issuer, fetch, clock, fetched: Mutex::default(), attempt: Arc::default() }
    }

    /// Returns the keys. Only a request without any waits; older ones are used while another
    /// request fetches them.
    pub(super) async fn current(self: &Arc<Self>) -> Option<Arc<Vec<PublicKey>>> {
        let age = self.fetched().map(|fetched| self.clock.elapsed().saturating_sub(fetched.at));
        if age.is_none_or(|age| age > USABLE) {
            return self.newer().await;
        }
        if age.is_some_and(|age| age > FRESH)
            && let Ok(attempt) = Arc::clone(&self.attempt).try_lock_owned()
        {
            self.try_again(attempt).await;
        }
        self.usable()
    }

    /// Returns the keys after one more attempt, unless the last one was just now.
    pub(super) async fn newer(self: &Arc<Self>) -> Option<Arc<Vec<PublicKey>>> {
        let attempt = Arc::clone(&self.attempt).lock_owned().await;
        self.try_again(attempt).await;
        self.usable()
    }

    /// Fetches the keys in a task of its own, so that a client that goes away does not stop it.
    async fn try_again(
        self: &Arc<Self>,
        mut attempt: tokio::sync::OwnedMutexGuard<Option<Duration>>,
    ) {
        let now = self.clock.elapsed();
        if attempt.is_some_and(|last| now.saturating_sub(last) < PAUSE) {
            return;
        }
        *attempt = Some(now);
        let keys = Arc::clone(self);
        let fetching = tokio::task::spawn_blocking(move || {
            let _attempt = attempt;
            // The known keys count on for a while, and clients get an answer that says so after it.
            if let Ok(fetched) = fetch(&keys.issuer, &keys.fetch) {
                let fetched = Fetched { keys: Arc::new(fetched), at: now };
                *keys.fetched.lock().unwrap_or_else(PoisonError::into_inner) = Some(fetched);
            }
        });
        let _ = fetching.await;
    }

    fn fetched(&self) -> Option<Fetched> {
        self.fetched.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn usable(&self) -> Option<Arc<Vec<PublicKey>>> {
        let fetched = self.fetched()?;
        let age = self.clock.elapsed().saturating_sub(fetched.at);
        (age <= USABLE).then_some(fetched.keys)
    }
}

/// Fetches the metadata of an issuer, and the keys that it names.
pub(super) fn fetch(
    issuer: &ServerUrl,
    document: &FetchDocument,
) -> Result<Vec<PublicKey>, String> {
    let mut errors = Vec::new();
    for url in metadata_urls(issuer) {
        match document(&url).and_then(|text| keys_url(&text, issuer)) {
            Ok(url) => {
                let keys = document(url.as_str())?;
                return signature::keys(&keys)
                    .map_err(|error| format!("`{}`: {error}", url.as_str()));
            }
            Err(error) => errors.push(format!("`{url}`: {error}")),
        }
    }
    Err(errors.join("; "))
}

/// Returns where the keys are, by metadata that must be of this issuer.
fn keys_url(metadata: &[u8], issuer: &ServerUrl) -> Result<ServerUrl, String> {
    let metadata: Metadata = serde_json::from_slice(metadata).map_err(|error| error.to_string())?;
    if metadata.issuer != issuer.as_str() {
        let found = prowess::text::quoted(&metadata.issuer);
        return Err(format!("the metadata is of the issuer {found}"));
    }
    ServerUrl::parse(&metadata.jwks_uri)
}

#[derive(Deserialize)]
struct Metadata {
    issuer: String,
    jwks_uri: String,
}

/// Returns where the metadata of an issuer may be: as RFC 8414 describes it, or as OpenID Connect
/// does.
fn metadata_urls(issuer: &ServerUrl) -> [String; 2] {
    let origin = issuer.origin();
    let path = issuer.path().trim_end_matches('/');
    [
        format!("{origin}/.well-known/oauth-authorization-server{path}"),
        format!("{origin}{path}/.well-known/openid-configuration"),
    ]
}
