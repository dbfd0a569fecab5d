//! Following the pointer: new catalogs, bad ones, signatures, and places without a network.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::slice::from_ref;
use std::sync::{Arc, Mutex};

use prowess_core::{
    Cancel, CatalogProvider, Layer, PackagePath, ReadLimit, Remote, RemoteArtifact, RemoteError,
    RemoteErrorKind, RemoteRequest, ResourcePath, SkillSource, Trust,
};
use prowess_registry::Registry;
use prowess_signature::{PublicKey, SecretKey};
use prowess_source_catalog::{
    CatalogFileError, CatalogPlace, CatalogSource, PublishOptions, publish,
};

use crate::{catalog_of, published, skills, source};

/// The text of a pointer, and what becomes of it.
type Edit<'e> = &'e dyn Fn(&str) -> String;

fn edit_pointer(place: &Path, edit: impl Fn(&str) -> String) {
    let path = place.join("catalog.json");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(path, edit(&text)).unwrap();
}

#[test]
fn new_catalog_replaces_the_last_good_one_and_a_bad_one_does_not() {
    let place = tempfile::tempdir().unwrap();
    published(&catalog_of(skills(3)), place.path());
    let registry = Registry::builder().layer(Layer::new("user", Trust::Trusted));
    let registry = registry.source("user", Arc::new(source(place.path()))).build().unwrap();
    registry.reload();
    let first = registry.catalog();
    assert_eq!(published(&catalog_of(skills(9)), place.path()).pointer.generation, 2);
    registry.reload();
    assert_eq!(registry.catalog().len(), first.len() + 6);
    let good = fs::read_to_string(place.path().join("catalog.json")).unwrap();
    let cases: [(&str, Edit<'_>); 5] = [
        ("cannot be read", &|_| "{".to_owned()),
        ("has the format 2", &|text| text.replace("\"format\": 1", "\"format\": 2")),
        ("steps back", &|text| text.replace("\"generation\": 2", "\"generation\": 1")),
        ("there is no", &|text| {
            let (before, digest) = text.split_once("sha256:").unwrap();
            let text = format!("{before}sha256:{}{}", "0".repeat(8), &digest[8..]);
            text.replace("\"generation\": 2", "\"generation\": 3")
        }),
        ("not the one that the pointer names", &|text| {
            text.replace("\"generation\": 2", "\"generation\": 3")
                .replace("\"bytes\": ", "\"bytes\": 1")
        }),
    ];
    for (reason, edit) in cases {
        edit_pointer(place.path(), edit);
        registry.reload();
        let catalog = registry.catalog();
        assert_eq!(catalog.len(), first.len() + 6, "{reason}: the last good one stays");
        let stale = catalog.diagnostics().find(|finding| finding.code.as_str() == "catalog-stale");
        let message = &stale.unwrap_or_else(|| panic!("{reason}: it is reported")).message;
        assert!(message.contains(reason), "{reason}: {message}");
        fs::write(place.path().join("catalog.json"), &good).unwrap();
    }
    registry.reload();
    assert_eq!(registry.catalog().diagnostics().count(), 0, "the finding goes with its reason");
}

#[test]
fn turn_reads_from_the_catalog_that_it_has_pinned() {
    let place = tempfile::tempdir().unwrap();
    published(&catalog_of(skills(3)), place.path());
    let source = source(place.path());
    source.poll(&Cancel::default()).unwrap();
    let pinned = source.catalog();
    published(&catalog_of(Arc::new(prowess_core::MemorySource::default())), place.path());
    source.poll(&Cancel::default()).unwrap();
    assert!(source.catalog().is_empty(), "the next turn has the next catalog");
    let path = ResourcePath::new("SKILL.md").unwrap();
    let body = pinned.read(pinned.get("mail").unwrap(), &path, ReadLimit::default());
    assert!(body.is_ok(), "the skill is gone, and this turn began before");
}

#[test]
fn only_a_trusted_key_signs_the_pointer() {
    let keys = || {
        let pair = minisign::KeyPair::generate_unencrypted_keypair().unwrap();
        let secret = SecretKey::parse(&pair.sk.to_box(None).unwrap().into_string()).unwrap();
        let public = secret.public_key().clone();
        (secret, public)
    };
    let ((secret, public), (_, other)) = (keys(), keys());
    let place = tempfile::tempdir().unwrap();
    let (few, many) = (catalog_of(skills(3)), catalog_of(skills(9)));
    let poll = |keys: &[PublicKey]| {
        let place = CatalogPlace::directory(place.path());
        let polled = CatalogSource::new("team", place, keys.to_vec()).poll(&Cancel::default());
        polled.map(|file| file.len()).map_err(|error| error.to_string())
    };
    published(&few, place.path());
    assert!(poll(from_ref(&public)).unwrap_err().contains("is not signed"));
    let sign = |bytes: &[u8]| secret.sign(bytes, "catalog").map_err(|error| error.to_string());
    let options = PublishOptions { sign: Some(&sign), ..PublishOptions::new("team") };
    let signed = publish(&few, place.path(), &options, &Cancel::default()).unwrap();
    assert!(signed.is_new, "the same catalog is signed now");
    assert_eq!(poll(&[other.clone(), public.clone()]), Ok(few.len()));
    assert_eq!(poll(&[]), Ok(few.len()), "without keys, the place is trusted");
    assert!(poll(&[other]).unwrap_err().contains("a key that is trusted"));
    // The signature of one generation is none of another.
    edit_pointer(place.path(), |text| text.replace("\"generation\": 2", "\"generation\": 9"));
    assert!(poll(from_ref(&public)).unwrap_err().contains("a key that is trusted"));
    edit_pointer(place.path(), |text| text.replace("RUQ", "RUR"));
    assert!(poll(&[public]).is_err());
    let error = publish(
        &many,
        place.path(),
        &PublishOptions {
            sign: Some(&|_| Err("cannot be signed: no key".to_owned())),
            ..PublishOptions::new("team")
        },
        &Cancel::default(),
    );
    assert!(matches!(error, Err(CatalogFileError::Pointer(_))), "{error:?}");
    assert_eq!(poll(&[]), Ok(few.len()), "the earlier one stays");
}

/// Files of a server, by location, and what was fetched.
#[derive(Default)]
struct Server {
    files: Mutex<BTreeMap<String, Vec<u8>>>,
    fetched: Mutex<Vec<String>>,
    is_away: Mutex<bool>,
}

impl Server {
    fn upload(&self, place: &Path) {
        let mut files = self.files.lock().unwrap();
        let mut folders = vec![place.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let name = path.strip_prefix(place).unwrap().display();
                    files.insert(format!("https://skills/team/{name}"), fs::read(path).unwrap());
                }
            }
        }
    }

    fn taken(&self) -> Vec<String> {
        std::mem::take(&mut *self.fetched.lock().unwrap())
    }
}

impl Remote for Server {
    fn name(&self) -> &str {
        "server"
    }

    fn resolve(&self, _: &RemoteRequest, _: &Cancel) -> Result<Vec<RemoteArtifact>, RemoteError> {
        Ok(Vec::new())
    }

    fn fetch(
        &self,
        artifact: &RemoteArtifact,
        limit: usize,
        _: &Cancel,
    ) -> Result<Vec<u8>, RemoteError> {
        if *self.is_away.lock().unwrap() {
            return Err(RemoteError::new(RemoteErrorKind::Unavailable, "the server is away"));
        }
        let name = artifact.location.rsplit('/').next().unwrap_or_default();
        self.fetched.lock().unwrap().push(name.to_owned());
        let missing = || RemoteError::new(RemoteErrorKind::NotFound, "there is no such file");
        let content = self.files.lock().unwrap().get(&artifact.location).cloned();
        let content = content.ok_or_else(missing)?;
        if content.len() > limit {
            return Err(RemoteError::new(RemoteErrorKind::TooLarge, "the file is too large"));
        }
        Ok(content)
    }
}

#[test]
fn remote_place_fetches_each_file_once() {
    let (place, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let server = Arc::new(Server::default());
    published(&catalog_of(skills(3)), place.path());
    server.upload(place.path());
    let open = || {
        let remote = Arc::clone(&server) as Arc<dyn Remote>;
        let place = CatalogPlace::remote(remote, "https://skills/team/", cache.path());
        CatalogSource::new("team", place, Vec::new())
    };
    let (source, cancel) = (open(), Cancel::default());
    let first = source.poll(&cancel).unwrap();
    assert_eq!(server.taken().len(), 2, "the pointer and the catalog, and no body");
    source.poll(&cancel).unwrap();
    assert_eq!(server.taken(), ["catalog.json"]);
    let (package, path) = (PackagePath::new("hidden").unwrap(), ResourcePath::new("SKILL.md"));
    let read = |source: &CatalogSource| {
        source.read(&package, path.as_ref().unwrap(), ReadLimit::default())
    };
    let body = read(&source).unwrap();
    assert_eq!(server.taken().len(), 1);
    assert_eq!(read(&source).unwrap(), body);
    assert!(server.taken().is_empty(), "a file is fetched once");
    published(&catalog_of(skills(9)), place.path());
    server.upload(place.path());
    let second = source.poll(&cancel).unwrap();
    assert!(second.len() > first.len());
    assert!(first.get("mail").unwrap().is_some(), "the earlier file is open still");
    *server.is_away.lock().unwrap() = true;
    let offline = open();
    assert!(offline.poll(&cancel).is_err());
    assert_eq!(offline.file().unwrap().len(), second.len(), "it starts with what it has");
    assert_eq!(read(&offline).unwrap(), body);
    let catalogs = fs::read_dir(cache.path()).unwrap().map(|entry| entry.unwrap().path());
    let catalogs = catalogs.filter(|path| path.extension().is_some_and(|it| it == "prowess"));
    assert_eq!(catalogs.count(), 1, "earlier catalogs are removed");
}

#[test]
fn server_that_sends_other_bytes_is_found() {
    let (place, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let server = Arc::new(Server::default());
    published(&catalog_of(skills(3)), place.path());
    server.upload(place.path());
    for content in server.files.lock().unwrap().values_mut() {
        if content.starts_with(b"---") {
            content[4] ^= 1;
        }
    }
    let remote = Arc::clone(&server) as Arc<dyn Remote>;
    let place = CatalogPlace::remote(remote, "https://skills/team", cache.path());
    let source = CatalogSource::new("team", place, Vec::new());
    source.poll(&Cancel::default()).unwrap();
    let package = PackagePath::new("hidden").unwrap();
    let path = ResourcePath::new("SKILL.md").unwrap();
    let error = source.read(&package, &path, ReadLimit::default()).unwrap_err();
    assert!(error.message.contains("not what its digest says"), "{error}");
}
