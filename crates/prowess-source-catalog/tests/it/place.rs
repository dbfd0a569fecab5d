//! Following the pointer: new catalogs, bad ones, signatures, and places without a network.

use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::slice::from_ref;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use prowess_core::{
    Cancel, CatalogProvider, Digest, FetchedParts, Layer, MemorySource, PackagePath, ReadLimit,
    ReceivePart, Remote, RemoteArtifact, RemoteError, RemoteErrorKind, RemoteRequest, ResourcePath,
    SkillSource, Trust,
};
use prowess_registry::Registry;
use prowess_signature::{PublicKey, SecretKey};
use prowess_source_catalog::{
    CatalogFileError, CatalogPlace, CatalogSource, PublishOptions, publish,
};
use prowess_testkit::ManualClock;

use crate::{catalog_of, options, published, skills, source};

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
    published(&catalog_of(Arc::new(MemorySource::default())), place.path());
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
    let ((secret, public), (next, other)) = (keys(), keys());
    let place = tempfile::tempdir().unwrap();
    let (few, many) = (catalog_of(skills(3)), catalog_of(skills(9)));
    let poll = |keys: &[PublicKey]| {
        let place = CatalogPlace::directory(place.path());
        let clock = Arc::new(ManualClock::default());
        let source = CatalogSource::new("team", place, keys.to_vec(), clock);
        source.poll(&Cancel::default()).map(|file| file.len()).map_err(|error| error.to_string())
    };
    published(&few, place.path());
    assert!(poll(from_ref(&public)).unwrap_err().contains("is not signed"));
    let sign = |bytes: &[u8]| secret.sign(bytes, "catalog").map_err(|error| error.to_string());
    let sign_next = |bytes: &[u8]| next.sign(bytes, "catalog").map_err(|error| error.to_string());
    let signed = |key: &PublicKey, sign: prowess_source_catalog::Sign<'_>| {
        let options = PublishOptions { sign: Some((key, sign)), ..options(1) };
        publish(&few, place.path(), &options, &Cancel::default()).unwrap()
    };
    assert!(signed(&public, &sign).is_new, "the same catalog is signed now");
    assert!(!signed(&public, &sign).is_new, "it is signed by this key");
    assert!(signed(&other, &sign_next).is_new, "another key signs it again");
    assert_eq!(poll(from_ref(&other)), Ok(few.len()));
    assert!(signed(&public, &sign).is_new);
    assert_eq!(poll(&[other.clone(), public.clone()]), Ok(few.len()));
    assert_eq!(poll(&[]), Ok(few.len()), "without keys, the place is trusted");
    assert!(poll(&[other]).unwrap_err().contains("a key that is trusted"));
    // The signature of one generation is none of another.
    edit_pointer(place.path(), |text| text.replace("\"generation\": 4", "\"generation\": 9"));
    assert!(poll(from_ref(&public)).unwrap_err().contains("a key that is trusted"));
    edit_pointer(place.path(), |text| text.replace("RUQ", "RUR"));
    assert!(poll(from_ref(&public)).is_err());
    let error = publish(
        &many,
        place.path(),
        &PublishOptions {
            sign: Some((&public, &|_| Err("cannot be signed: no key".to_owned()))),
            ..options(1)
        },
        &Cancel::default(),
    );
    assert!(matches!(error, Err(CatalogFileError::Pointer(_))), "{error:?}");
    assert_eq!(poll(&[]), Ok(few.len()), "the earlier one stays");
}

#[test]
fn unsigned_catalog_is_refused_with_its_code() {
    let place = tempfile::tempdir().unwrap();
    let pair = minisign::KeyPair::generate_unencrypted_keypair().unwrap();
    let secret = SecretKey::parse(&pair.sk.to_box(None).unwrap().into_string()).unwrap();
    let sign = |bytes: &[u8]| secret.sign(bytes, "catalog").map_err(|error| error.to_string());
    let signed = PublishOptions { sign: Some((secret.public_key(), &sign)), ..options(1) };
    let publish_signed = || {
        let catalog = catalog_of(skills(3));
        publish(&catalog, place.path(), &signed, &Cancel::default()).unwrap();
    };
    let registry = || {
        let directory = CatalogPlace::directory(place.path());
        let (keys, clock) = (vec![secret.public_key().clone()], Arc::new(ManualClock::default()));
        let source = Arc::new(CatalogSource::new("team", directory, keys, clock));
        let registry = Registry::builder().layer(Layer::new("user", Trust::Trusted));
        registry.source("user", source).build().unwrap()
    };
    let check = |registry: &Registry, count: usize, code: &[&str]| {
        registry.reload();
        let catalog = registry.catalog();
        assert_eq!(catalog.len(), count, "{code:?}");
        let findings = catalog.diagnostics().filter(|it| it.code.as_str().starts_with("catalog-"));
        let found: Vec<_> = findings.collect();
        assert_eq!(found.iter().map(|it| it.code.as_str()).collect::<Vec<_>>(), code);
        let pointer = place.path().join("catalog.json").display().to_string();
        assert!(found.iter().all(|it| it.path.as_deref() == Some(&*pointer)), "{found:?}");
    };
    publish_signed();
    let (running, count) = (registry(), catalog_of(skills(3)).len());
    check(&running, count, &[]);
    published(&catalog_of(skills(9)), place.path());
    check(&running, count, &["catalog-unsigned"]);
    check(&registry(), 0, &["catalog-unsigned"]);
    publish_signed();
    check(&running, count, &[]);
}

#[test]
fn generation_grows_without_the_earlier_pointer() {
    let [first, second] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let now = 1_767_225_600;
    let publish_at = |place: &Path, count, seconds| {
        publish(&catalog_of(skills(count)), place, &options(seconds), &Cancel::default())
    };
    let generation = |place: &Path, count, seconds| {
        publish_at(place, count, seconds).unwrap().pointer.generation
    };
    assert_eq!(generation(first.path(), 3, now), now);
    assert_eq!(generation(first.path(), 4, now), now + 1, "two of one second");
    assert_eq!(generation(first.path(), 5, now - 60), now + 2, "a clock that was set back");
    assert_eq!(catalogs(first.path()).len(), 2, "the catalog before stays, and no earlier one");
    assert_eq!(generation(second.path(), 6, now + 5), now + 5, "a new directory");
    let (host, cancel) = (source(first.path()), Cancel::default());
    host.poll(&cancel).unwrap();
    // The clock of the host shows `now`.
    for (ahead, is_used) in [(86_400, true), (86_401, false), (u64::MAX - now, false)] {
        let text = format!("\"generation\": {}", now + ahead);
        edit_pointer(first.path(), |pointer| {
            let generation = pointer.lines().find(|line| line.contains("generation")).unwrap();
            pointer.replace(generation.trim().trim_end_matches(','), &text)
        });
        let host = source(first.path());
        assert_eq!(host.poll(&cancel).is_ok(), is_used, "{ahead}");
    }
    let error = publish_at(first.path(), 7, now).unwrap_err().to_string();
    assert!(error.contains("more than a day ahead"), "{error}");
    fs::remove_file(first.path().join("catalog.json")).unwrap();
    assert_eq!(generation(first.path(), 7, now + 9), now + 9);
    host.poll(&cancel).expect("a running host goes on from there");
}

#[test]
fn build_names_the_parts_that_it_leaves_out() {
    let place = tempfile::tempdir().unwrap();
    let built = published(&catalog_of(skills(3)), place.path());
    let name = |it: &prowess_source_catalog::LeftOut| (it.skill.clone(), it.path.clone());
    let left_out: Vec<_> = built.left_out.iter().map(name).collect();
    assert_eq!(left_out, [("hidden".to_owned(), Some(".env".to_owned()))]);
    let none = catalog_of(Arc::new(MemorySource::default()));
    let strict = PublishOptions { may_be_empty: false, ..options(1) };
    let refused = publish(&none, place.path(), &strict, &Cancel::default());
    assert!(matches!(refused, Err(CatalogFileError::Empty)), "{refused:?}");
    assert!(!source(place.path()).poll(&Cancel::default()).unwrap().is_empty());
}

/// Files of a server, by location, and what was fetched.
#[derive(Default)]
struct Server {
    files: Mutex<BTreeMap<String, Vec<u8>>>,
    fetched: Mutex<Vec<String>>,
    is_away: Mutex<bool>,
    /// The number of bytes that were passed on.
    passed_on: Mutex<usize>,
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

    fn fetch_parts(
        &self,
        artifact: &RemoteArtifact,
        known: Option<&str>,
        limit: usize,
        receive: ReceivePart<'_>,
        cancel: &Cancel,
    ) -> Result<FetchedParts, RemoteError> {
        // A server does not know the limit.
        let content = self.fetch(artifact, usize::MAX, cancel)?;
        let version = Some(format!("\"{}\"", Digest::of(&content)));
        if known.is_some() && known == version.as_deref() {
            self.fetched.lock().unwrap().push("unchanged".to_owned());
            return Ok(FetchedParts::Unchanged);
        }
        for part in content[..content.len().min(limit)].chunks(10) {
            *self.passed_on.lock().unwrap() += part.len();
            if receive(part) == ControlFlow::Break(()) {
                return Ok(FetchedParts::Changed { version: None });
            }
        }
        if content.len() > limit {
            return Err(RemoteError::new(RemoteErrorKind::TooLarge, "the file is too large"));
        }
        Ok(FetchedParts::Changed { version })
    }
}

/// Returns a host of the server, with its clock.
fn host(server: &Arc<Server>, cache: &Path) -> (CatalogSource, Arc<ManualClock>) {
    let remote = Arc::clone(server) as Arc<dyn Remote>;
    let place = CatalogPlace::remote(remote, "https://skills/team/", cache);
    let clock = Arc::new(ManualClock::default());
    (CatalogSource::new("team", place, Vec::new(), clock.clone()), clock)
}

/// Returns the names of the catalog files in a cache, also of unfinished ones.
fn catalogs(cache: &Path) -> Vec<String> {
    let names = fs::read_dir(cache).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.ends_with(".prowess") || name.ends_with(".tmp")).collect()
}

#[test]
fn server_decides_neither_on_memory_nor_on_the_disk() {
    let place = tempfile::tempdir().unwrap();
    let built = published(&catalog_of(skills(3)), place.path());
    let name =
        format!("https://skills/team/catalog-{}.prowess", &built.pointer.digest.to_string()[7..]);
    let bytes = format!("\"bytes\": {}", built.pointer.bytes);
    type Change<'c> = &'c dyn Fn(&mut BTreeMap<String, Vec<u8>>);
    let pointer = "https://skills/team/catalog.json".to_owned();
    let says = |files: &mut BTreeMap<String, Vec<u8>>, size: u64| {
        let text = String::from_utf8(files[&pointer].clone()).unwrap();
        let text = text.replace(&bytes, &format!("\"bytes\": {size}"));
        files.insert(pointer.clone(), text.into_bytes());
    };
    let header = |files: &BTreeMap<String, Vec<u8>>| files[&pointer].len() + 160;
    let cases: [(&str, Change<'_>, bool); 6] = [
        ("at most 4294967296 are fetched", &|files| says(files, 1 << 50), true),
        ("not the one that the pointer names", &|files| says(files, 1 << 29), true),
        ("not the one", &|files| files.get_mut(&name).unwrap()[20] ^= 1, true),
        ("too large", &|files| files.get_mut(&name).unwrap().extend([0; 999]), false),
        (
            "not what its digest says",
            &|files| {
                *files.get_mut(&name).unwrap().iter_mut().rev().nth(3_000).unwrap() ^= 1;
            },
            false,
        ),
        ("too large", &|files| drop(files.insert(pointer.clone(), vec![b' '; 4097])), true),
    ];
    for (reason, change, is_early) in cases {
        let (cache, server) = (tempfile::tempdir().unwrap(), Arc::new(Server::default()));
        server.upload(place.path());
        change(&mut server.files.lock().unwrap());
        let (source, clock) = host(&server, cache.path());
        let error = source.poll(&Cancel::default()).unwrap_err().to_string();
        assert!(error.contains(reason), "{reason}: {error}");
        assert_eq!(catalogs(cache.path()), [""; 0], "{reason}");
        let most = header(&server.files.lock().unwrap());
        assert!(!is_early || *server.passed_on.lock().unwrap() <= most, "{reason}");
        let asked = server.taken().len();
        assert!(asked <= 2, "{reason}");
        assert_eq!(source.poll(&Cancel::default()).unwrap_err().to_string(), error);
        assert!(server.taken().is_empty(), "{reason}: it is not asked again at once");
        server.upload(place.path());
        clock.advance(Duration::from_secs(2));
        assert!(source.poll(&Cancel::default()).is_ok(), "{reason}: it is asked later");
    }
}

#[test]
fn failing_server_is_asked_less_and_less() {
    let (server, cache) = (Arc::new(Server::default()), tempfile::tempdir().unwrap());
    let (source, clock) = host(&server, cache.path());
    let mut asked = Vec::new();
    for second in 0..200 {
        let _ = source.poll(&Cancel::default());
        asked.extend((!server.taken().is_empty()).then_some(second));
        clock.advance(Duration::from_secs(1));
    }
    assert_eq!(asked, [0, 2, 6, 14, 30, 62, 122, 182]);
}

#[test]
fn remote_place_fetches_each_file_once() {
    let (place, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let server = Arc::new(Server::default());
    published(&catalog_of(skills(3)), place.path());
    server.upload(place.path());
    let open = || host(&server, cache.path()).0;
    let (source, cancel) = (open(), Cancel::default());
    let first = source.poll(&cancel).unwrap();
    assert_eq!(server.taken().len(), 2, "the pointer and the catalog, and no body");
    source.poll(&cancel).unwrap();
    assert_eq!(server.taken(), ["catalog.json", "unchanged"]);
    open().poll(&cancel).unwrap();
    assert_eq!(server.taken(), ["catalog.json", "unchanged"], "the next program knows it, too");
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
    assert_eq!(catalogs(cache.path()).len(), 1, "earlier catalogs are removed");
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
    let (source, _) = host(&server, cache.path());
    source.poll(&Cancel::default()).unwrap();
    let package = PackagePath::new("hidden").unwrap();
    let path = ResourcePath::new("SKILL.md").unwrap();
    let error = source.read(&package, &path, ReadLimit::default()).unwrap_err();
    assert!(error.message.contains("not what its digest says"), "{error}");
}
