//! Published catalogs as roots: `--root DIR/catalog.json`.

use std::path::Path;

/// The name of the file that names a catalog.
const POINTER: &str = "catalog.json";

/// Returns whether a root is a published catalog, and no directory of skills.
pub(crate) fn is_meant(root: &Path) -> bool {
    root.file_name().is_some_and(|name| name == POINTER) && !root.is_dir()
}

#[cfg(not(feature = "catalog-file"))]
pub(crate) fn add(
    _: prowess::RuntimeBuilder,
    _: &str,
    root: &Path,
) -> Result<prowess::RuntimeBuilder, crate::failure::Failure> {
    Err(crate::features::lacks("catalog-file", &format!("--root {}", root.display())))
}

#[cfg(feature = "catalog-file")]
pub(crate) use with_feature::{add, searched};

#[cfg(feature = "catalog-file")]
mod with_feature {
    use std::path::Path;
    use std::sync::Arc;

    use prowess::{Audience, Cancel, RuntimeBuilder};
    use prowess_source_catalog::{CatalogEntry, CatalogPlace, CatalogSource};

    use super::is_meant;
    use crate::args::Global;
    use crate::failure::Failure;
    use crate::paths::absolute;
    use crate::policies::policies;

    /// Adds the source of a published catalog.
    pub(crate) fn add(
        builder: RuntimeBuilder,
        layer: &str,
        root: &Path,
    ) -> Result<RuntimeBuilder, Failure> {
        Ok(builder.source(layer, Arc::new(source(root)?)))
    }

    /// Searches the only root without a catalog in memory, if it is a published catalog. Returns
    /// `None` where this may give other answers than a registry: for policies that hide or rename
    /// skills, and for hits whose conditions a registry has to check.
    pub(crate) fn searched(
        global: &Global,
        query: &str,
        limit: usize,
    ) -> Result<Option<Vec<(CatalogEntry, f32)>>, Failure> {
        let [root] = &*global.skills.root else { return Ok(None) };
        let policies = policies(global)?;
        let is_plain = policies.registry == Default::default()
            && policies.visibility == Default::default()
            && policies.audience == Audience::default()
            && policies.aliases.is_empty()
            && policies.sources.mcp.is_empty()
            && global.skills.plugin.is_empty()
            && root.name.is_none();
        if !is_plain || !is_meant(&root.directory) {
            return Ok(None);
        }
        let source = source(&root.directory)?;
        let hits = source.poll(&Cancel::default()).and_then(|file| file.search(query, limit));
        // A catalog that cannot be used is a finding of the registry.
        Ok(hits.ok().filter(|hits| hits.iter().all(|(skill, _)| !skill.is_conditional)))
    }

    fn source(root: &Path) -> Result<CatalogSource, Failure> {
        let parent = root.parent().unwrap_or(Path::new("."));
        let name = parent.file_name().map_or_else(|| "catalog".into(), |it| it.to_string_lossy());
        let place = match parent.to_str().filter(|parent| is_url(parent)) {
            Some(url) => remote(&url.replacen(":/", "://", 1).replace(":///", "://"))?,
            None => CatalogPlace::directory(absolute(parent)?),
        };
        Ok(CatalogSource::new(&name, place, Vec::new()))
    }

    /// Returns whether a path was written as a URL, from which a path has lost a slash.
    fn is_url(path: &str) -> bool {
        ["https:/", "http:/", "s3:/"].iter().any(|start| path.starts_with(start))
    }

    #[cfg(feature = "remotes")]
    fn remote(location: &str) -> Result<CatalogPlace, Failure> {
        use prowess_source_remote::AnyRemote;

        use crate::install_place::{http_options, s3_options};

        let digest = prowess::Digest::of(location.as_bytes()).to_string();
        let cache = crate::paths::machine(None).cache_home().ok_or_else(|| {
            let message = "a catalog of a server needs a directory for its cache";
            Failure::usage("usage", message, "set `HOME` or `XDG_CACHE_HOME`")
        })?;
        let cache = cache.join("prowess/catalogs").join(&digest["sha256:".len()..][..16]);
        let remote = AnyRemote::new(http_options(&[])?).with_s3(s3_options());
        Ok(CatalogPlace::remote(Arc::new(remote), location, cache))
    }

    #[cfg(not(feature = "remotes"))]
    fn remote(location: &str) -> Result<CatalogPlace, Failure> {
        Err(crate::features::lacks("remotes", &format!("--root {location}/catalog.json")))
    }
}
