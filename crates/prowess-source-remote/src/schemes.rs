//! The schemes of sources that are not those of the web.

/// A registry that is reached by `https`.
pub(crate) const OCI: &str = "oci://";

/// A registry that is reached by plain `http`.
pub(crate) const OCI_PLAIN: &str = "oci+http://";

/// A bucket.
pub(crate) const S3: &str = "s3://";
