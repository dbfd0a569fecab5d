//! Buckets of stores that speak the protocol of S3.

use std::time::Duration;

use jiff::Timestamp;
use prowess_core::{
    Cancel, Digest, FetchedParts, ReceivePart, Remote, RemoteArtifact, RemoteError,
    RemoteErrorKind, RemoteRequest,
};
use rusty_s3::actions::{GetObject, PutObject};
use rusty_s3::{Bucket, Credentials, S3Action as _, UrlStyle};
use ureq::http::Method;

use crate::artifact::{MAX_BYTES, kind_of};
use crate::cancel::check;
use crate::http::client::{Call, Client, check_status};
use crate::http::site;
use crate::http_options::HttpOptions;
use crate::repository::unsupported;
use crate::s3::options::S3Options;
use crate::schemes::S3;
use crate::url::Url;

/// The time that a signed URL is valid.
const VALID: Duration = Duration::from_secs(300);

/// Installs from buckets, and publishes to them.
///
/// `s3://bucket/path` is the root of a site: an index is expected below it. A path that ends as an
/// archive or with `.md` is one artifact, and one that ends with `.json` is an index. Requests are
/// signed by AWS Signature Version 4, in URLs that are valid for five minutes and are not shown.
#[derive(Debug)]
pub struct S3Remote {
    client: Client,
    options: S3Options,
}

/// A bucket and a key in it.
struct Object<'s> {
    bucket: &'s str,
    key: &'s str,
}

impl<'s> Object<'s> {
    fn parse(source: &'s str) -> Result<Self, RemoteError> {
        let rest = source.strip_prefix(S3).unwrap_or_default();
        let (bucket, key) = rest.split_once('/').unwrap_or((rest, ""));
        if !(3..=63).contains(&bucket.len()) || !bucket.chars().all(is_word) {
            return Err(unsupported("the source is not written as `s3://bucket/path`"));
        }
        if key.contains(|c: char| c.is_control()) || key.split('/').any(|it| it == "..") {
            return Err(unsupported("the path leads out of the bucket"));
        }
        Ok(Self { bucket, key })
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_lowercase() || c.is_ascii_digit() || ".-".contains(c)
}

impl S3Remote {
    /// Creates a remote with these options. The host of an endpoint counts as named, with its port.
    pub fn new(options: S3Options, mut http: HttpOptions) -> Self {
        http.named_hosts.extend(options.endpoint.as_deref().and_then(Url::place_of));
        Self { client: Client::new(http), options }
    }

    /// Writes an object, such as a file of a published site.
    ///
    /// # Errors
    ///
    /// The target is not in a bucket, or the store cannot be reached or refuses.
    pub fn put(&self, target: &str, content: &[u8], cancel: &Cancel) -> Result<(), RemoteError> {
        let object = Object::parse(target)?;
        let bucket = self.bucket(object.bucket)?;
        let credentials = self.credentials();
        let action = PutObject::new(&bucket, credentials.as_ref(), object.key);
        let url = self.checked(action.sign_with_time(VALID, &self.now()?).as_str())?;
        let kind = "application/octet-stream".to_owned();
        let headers = [("authorization", String::new()), ("content-type", kind)];
        let call = Call { method: &Method::PUT, url: &url, headers: &headers, body: Some(content) };
        check_status(self.client.send(&call, MAX_BYTES, cancel)?.status, &url)
    }

    fn get(&self, source: &str, limit: usize, cancel: &Cancel) -> Result<Vec<u8>, RemoteError> {
        let url = self.signed(source)?;
        self.client.send(&Call::get(&url, &Self::headers()), limit, cancel)?.content(&url)
    }

    /// Returns the signed URL of an object.
    fn signed(&self, source: &str) -> Result<Url, RemoteError> {
        let object = Object::parse(source)?;
        let bucket = self.bucket(object.bucket)?;
        let credentials = self.credentials();
        let action = GetObject::new(&bucket, credentials.as_ref(), object.key);
        self.checked(action.sign_with_time(VALID, &self.now()?).as_str())
    }

    /// The signature is in the URL; other credentials of the host would contradict it.
    fn headers() -> [(&'static str, String); 1] {
        [("authorization", String::new())]
    }

    fn bucket(&self, name: &str) -> Result<Bucket, RemoteError> {
        let region = &self.options.region;
        let (endpoint, style) = match &self.options.endpoint {
            Some(endpoint) => (endpoint.clone(), UrlStyle::Path),
            None => (format!("https://s3.{region}.amazonaws.com"), UrlStyle::VirtualHost),
        };
        let invalid = || unsupported("the endpoint or the bucket is not valid");
        let endpoint = endpoint.parse().map_err(|_| invalid())?;
        Bucket::new(endpoint, style, name.to_owned(), region.clone()).map_err(|_| invalid())
    }

    fn credentials(&self) -> Option<Credentials> {
        let keys = self.options.keys.as_ref()?;
        Some(match &keys.token {
            Some(token) => Credentials::new_with_token(&keys.id, &keys.secret, token),
            None => Credentials::new(&keys.id, &keys.secret),
        })
    }

    fn now(&self) -> Result<Timestamp, RemoteError> {
        let now = i64::try_from(self.options.clock.now().0).ok();
        now.and_then(|now| Timestamp::from_millisecond(now).ok()).ok_or_else(|| {
            RemoteError::new(RemoteErrorKind::Unavailable, "the clock has no valid time")
        })
    }

    fn checked(&self, url: &str) -> Result<Url, RemoteError> {
        Url::new(url, &self.client.options)
    }
}

impl Remote for S3Remote {
    fn name(&self) -> &str {
        "s3"
    }

    fn resolve(
        &self,
        request: &RemoteRequest,
        cancel: &Cancel,
    ) -> Result<Vec<RemoteArtifact>, RemoteError> {
        check(cancel)?;
        if request.reference.is_some() {
            return Err(unsupported("a bucket has one version of each skill"));
        }
        let source = request.source.trim_end_matches('/');
        if let Some(kind) = kind_of(source) {
            let bytes = self.get(source, MAX_BYTES, cancel)?;
            let digest = Some(Digest::of(&bytes));
            return Ok(vec![RemoteArtifact { digest, ..RemoteArtifact::new(source, kind) }]);
        }
        let index = site::index_below(source);
        let bytes = self.get(&index, site::MAX_INDEX_BYTES, cancel)?;
        let (place, _) = index.rsplit_once('/').unwrap_or_default();
        site::artifacts(&bytes, &quoted_bucket(source), |url| {
            let is_relative =
                !url.contains(':') && !url.starts_with('/') && !url.contains(['?', '#', '%']);
            let location = format!("{place}/{url}");
            match Object::parse(&location) {
                Ok(_) if is_relative => Ok(location),
                _ => Err(unsupported("the index of a bucket has to name objects next to it")),
            }
        })
    }

    fn fetch(
        &self,
        artifact: &RemoteArtifact,
        limit: usize,
        cancel: &Cancel,
    ) -> Result<Vec<u8>, RemoteError> {
        check(cancel)?;
        self.get(&artifact.location, limit, cancel)
    }

    fn fetch_parts(
        &self,
        artifact: &RemoteArtifact,
        known: Option<&str>,
        limit: usize,
        receive: ReceivePart<'_>,
        cancel: &Cancel,
    ) -> Result<FetchedParts, RemoteError> {
        let url = self.signed(&artifact.location)?;
        let headers = Self::headers();
        self.client.get_parts(&Call::get(&url, &headers), known, limit, receive, cancel)
    }
}

fn quoted_bucket(source: &str) -> String {
    let bucket = source.strip_prefix(S3).and_then(|rest| rest.split('/').next());
    bucket.unwrap_or_default().to_owned()
}
