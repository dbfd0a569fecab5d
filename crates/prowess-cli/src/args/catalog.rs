//! The arguments of `catalog`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// The commands of catalog files.
#[derive(Debug, Subcommand)]
pub(crate) enum Catalog {
    /// Publish the skills that this machine offers as one catalog file, for many hosts
    ///
    /// The directory gets `catalog.json`, which names the newest catalog file, that file, and the
    /// files of the skills under their digests. Serve it as it is, or copy it to a site or a bucket
    /// with `catalog.json` last. Hosts use it with `--root DIR/catalog.json`, or `--root
    /// https://HOST/PATH/catalog.json`.
    Build(CatalogBuild),
}

/// The arguments of `catalog build`.
#[derive(Debug, Args)]
pub(crate) struct CatalogBuild {
    /// Directory to publish in; the catalog before and the files of all skills are kept there
    #[arg(long, value_name = "DIR", default_value = "catalog")]
    pub(crate) out: PathBuf,
    /// Name of the catalog
    #[arg(long, value_name = "NAME", default_value = "skills")]
    pub(crate) name: String,
    /// Secret key of minisign that signs `catalog.json`; a key with a password asks for it
    #[arg(long, value_name = "FILE")]
    pub(crate) sign: Option<PathBuf>,
    /// Publish a catalog without skills, which takes all of them from the hosts
    #[arg(long)]
    pub(crate) allow_empty: bool,
}
