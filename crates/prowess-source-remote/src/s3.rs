//! S3-compatible buckets.

pub(crate) mod options;
pub(crate) mod remote;
