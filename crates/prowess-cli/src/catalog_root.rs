//! Published catalogs as roots: `--root DIR/catalog.json`.

use crate::args::Root;
use crate::failure::Failure;
use crate::terminal::plain;

/// The name of the file that names a catalog.
const POINTER: &str = "catalog.json";

/// Returns whether a root is a published catalog, and no directory of skills.
///
/// # Errors
///
/// It is a URL of something else.
pub(crate) fn is_meant(root: &Root) -> Result<bool, Failure> {
    let directory = &root.directory;
    let is_catalog = directory.file_name().is_some_and(|name| name == POINTER);
    if let Some(url) = directory.to_str().filter(|url| is_url(url) && !is_catalog) {
        let url = plain(url.trim_end_matches('/'));
        let message = format!("`{url}` is a URL, and the only root at a URL is a catalog");
        return Err(Failure::usage("usage", message, format!("name `{url}/{POINTER}`")));
    }
    Ok(is_catalog && root.name.is_none() && !directory.is_dir())
}

/// Returns whether a path was written as a URL.
fn is_url(path: &str) -> bool {
    ["https://", "http://", "s3://"].iter().any(|start| path.starts_with(start))
}

/// Returns the URL of a catalog, if that is on a server.
#[cfg(feature = "catalog-file")]
fn url(root: &std::path::Path) -> Option<&str> {
    root.to_str().filter(|root| is_url(root))
}

#[cfg(not(feature = "catalog-file"))]
pub(crate) fn add(
    _: prowess::RuntimeBuilder,
    root: &Root,
    _: &mut Vec<prowess::Layer>,
) -> Result<prowess::RuntimeBuilder, Failure> {
    let root = root.directory.display();
    Err(crate::features::lacks("catalog-file", &format!("--root {root}")))
}

#[cfg(feature = "catalog-file")]
pub(crate) use with_feature::{add, searched};

#[cfg(feature = "catalog-file")]
mod with_feature {
    use std::path::Path;
    use std::sync::Arc;

    use prowess::{
        Audience, Cancel, Code, Diagnostic, Layer, RuntimeBuilder, Severity, SystemClock, Trust,
        trust_file,
    };
    use prowess_signature::PublicKey;
    use prowess_source_catalog::{CatalogEntry, CatalogPlace, CatalogSource};
    use prowess_store::Signer;

    use super::{is_meant, url};
    use crate::args::{Global, Root};
    use crate::commands::install::request;
    use crate::failure::Failure;
    use crate::paths::{absolute, surroundings};
    use crate::policies::policies;

    const CATALOG_UNTRUSTED: Code = Code::new("catalog-untrusted");

    /// The layer of catalogs on servers that the user does not trust.
    const UNTRUSTED: &str = "untrusted-catalog";

    /// Adds the source of a published catalog. One of a server is in an untrusted layer, unless the
    /// user trusts signers, of which one has to have signed it, or its URL. That layer is added to
    /// `layers`, those of the configuration.
    pub(crate) fn add(
        mut builder: RuntimeBuilder,
        root: &Root,
        layers: &mut Vec<Layer>,
    ) -> Result<RuntimeBuilder, Failure> {
        let trust = CatalogTrust::of(&root.directory)?;
        builder = trust.finding.into_iter().fold(builder, RuntimeBuilder::finding);
        let source = Arc::new(source(&root.directory, trust.keys)?);
        let is_trusted = match layers.iter().find(|layer| *layer.name == *root.layer) {
            Some(layer) => layer.trust == Trust::Trusted,
            None => ["embedded", "user"].contains(&&*root.layer),
        };
        if trust.is_trusted || !is_trusted {
            return Ok(builder.source(&root.layer, source));
        }
        let message = format!(
            "the skills of `{}` are in an untrusted layer, since you trust no signer and not its \
             URL",
            root.directory.display()
        );
        let help = "trust the key that signs it with `prowess trust --signer KEY`, or else its URL \
                    with `prowess trust --source URL`";
        let finding = Diagnostic::new(CATALOG_UNTRUSTED, Severity::Hint, message, help);
        builder = builder.finding(finding.in_file(root.directory.display().to_string()));
        if layers.iter().all(|layer| *layer.name != *UNTRUSTED) {
            let layer = Layer::new(UNTRUSTED, Trust::Untrusted);
            layers.push(layer.clone());
            builder = builder.lowest_layer(layer);
        }
        Ok(builder.source(UNTRUSTED, source))
    }

    /// How far the user trusts a catalog.
    struct CatalogTrust {
        /// The keys of which one has to have signed it, if there are any.
        keys: Vec<PublicKey>,
        is_trusted: bool,
        /// The reason why nothing is trusted, if the file is unusable.
        finding: Option<Diagnostic>,
    }

    impl CatalogTrust {
        /// Returns the trust in a root: a directory of this machine is as trusted as its layer.
        fn of(root: &Path) -> Result<Self, Failure> {
            let Some(url) = url(root) else {
                return Ok(Self { keys: Vec::new(), is_trusted: true, finding: None });
            };
            let file = trust_file(&surroundings()?);
            let origins = file.map(|file| file.origins()).unwrap_or_default();
            let finding = origins.finding.clone();
            if origins.trusts(&request(url, None)?.source, "") {
                return Ok(Self { keys: Vec::new(), is_trusted: true, finding });
            }
            let key = |name: &str| match Signer::parse(name) {
                Ok(Signer::Key(key)) => Some(key),
                _ => None,
            };
            let keys: Vec<_> = origins.signers.iter().filter_map(|it| key(it.name())).collect();
            Ok(Self { is_trusted: !keys.is_empty(), keys, finding })
        }
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
            && global.skills.plugin.is_empty();
        if !is_plain || !is_meant(root)? {
            return Ok(None);
        }
        let source = source(&root.directory, CatalogTrust::of(&root.directory)?.keys)?;
        let hits = source.poll(&Cancel::default()).and_then(|file| file.search(query, limit));
        // A catalog that cannot be used is a finding of the registry.
        Ok(hits.ok().filter(|hits| hits.iter().all(|(skill, _)| !skill.is_conditional)))
    }

    fn source(root: &Path, keys: Vec<PublicKey>) -> Result<CatalogSource, Failure> {
        let parent = root.parent().unwrap_or(Path::new("."));
        let name = parent.file_name().map_or_else(|| "catalog".into(), |it| it.to_string_lossy());
        let place = match url(parent) {
            Some(url) => remote(url)?,
            None => CatalogPlace::directory(absolute(parent)?),
        };
        Ok(CatalogSource::new(&name, place, keys, Arc::new(SystemClock::default())))
    }

    #[cfg(feature = "remotes")]
    fn remote(location: &str) -> Result<CatalogPlace, Failure> {
        use prowess_source_remote::{AnyRemote, HttpOptions};

        use crate::install_place::{http_options, s3_options};

        let digest = prowess::Digest::of(location.as_bytes()).to_string();
        let cache = crate::paths::machine(None).cache_home().ok_or_else(|| {
            let message = "a catalog of a server needs a directory for its cache";
            Failure::usage("usage", message, "set `HOME` or `XDG_CACHE_HOME`")
        })?;
        let cache = cache.join("prowess/catalogs").join(&digest["sha256:".len()..][..16]);
        // The user has named the host of the root.
        let named = http_options(&[crate::install_place::host_of(location)])?;
        let naming = Some("a `--root` at that host".to_owned());
        let remote = AnyRemote::new(HttpOptions { naming, ..named }).with_s3(s3_options());
        Ok(CatalogPlace::remote(Arc::new(remote), location, cache))
    }

    #[cfg(not(feature = "remotes"))]
    fn remote(location: &str) -> Result<CatalogPlace, Failure> {
        Err(crate::features::lacks("remotes", &format!("--root {location}/catalog.json")))
    }
}
