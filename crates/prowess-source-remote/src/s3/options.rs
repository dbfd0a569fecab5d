//! The options of stores that speak the protocol of S3.

use std::fmt;
use std::sync::Arc;

use prowess_core::Clock;

/// Where buckets are, and the user's keys.
#[derive(Clone)]
pub struct S3Options {
    /// The URL of the store. By default that of Amazon in the region.
    pub endpoint: Option<String>,
    /// The region. By default `us-east-1`.
    pub region: String,
    /// The user's keys. By default there are none, and buckets have to be public.
    pub keys: Option<S3Keys>,
    /// The clock that signatures are dated with.
    pub clock: Arc<dyn Clock>,
}

/// The keys of a user.
#[derive(Clone)]
pub struct S3Keys {
    /// The name of the key.
    pub id: String,
    /// The secret.
    pub secret: String,
    /// The token of a session, for keys that expire.
    pub token: Option<String>,
}

impl S3Options {
    /// Creates the options of public buckets.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { endpoint: None, region: "us-east-1".to_owned(), keys: None, clock }
    }
}

/// Shows everything but the keys.
impl fmt::Debug for S3Options {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("S3Options")
            .field("endpoint", &self.endpoint)
            .field("region", &self.region)
            .finish_non_exhaustive()
    }
}

/// Shows nothing.
impl fmt::Debug for S3Keys {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("S3Keys").finish_non_exhaustive()
    }
}
