//! A `CatalogProvider` of the host: parts that need a catalog take one from wherever it comes, here
//! one that never changes.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)]

use std::sync::Arc;

use extension_points::kitchen;
use prowess::{Catalog, CatalogProvider, Error};

/// Provides the catalog of a moment, for example to a background job that must see one state.
struct Frozen(Arc<Catalog>);

impl CatalogProvider for Frozen {
    fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.0)
    }
}

fn ids(provider: &dyn CatalogProvider) -> Vec<String> {
    provider.catalog().skills().map(|skill| skill.id().to_owned()).collect()
}

fn main() -> Result<(), Error> {
    let runtime = kitchen().build()?;
    let frozen = Frozen(runtime.catalog());
    println!("{}", ids(&frozen).join(" "));
    Ok(())
}
