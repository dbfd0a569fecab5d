//! Registries that ask for tokens, and registries that attack.

use std::io::Write as _;
use std::sync::Arc;

use prowess_archive::{Archive, File};
use prowess_core::{
    ArtifactKind, Cancel, Digest, Remote, RemoteArtifact, RemoteError, RemoteErrorKind,
    RemoteRequest,
};
use prowess_source_remote::{HttpOptions, OciRemote};

use crate::server::Server;

const MANIFEST: &str = "/v2/team/pdf/manifests/1";

fn package() -> Vec<u8> {
    let skill_md = "---\nname: pdf\ndescription: Fills forms.\n---\n";
    Archive::new(vec![File::new("SKILL.md", skill_md)]).unwrap().to_tar_gz()
}

fn manifest(blob: &str) -> String {
    let kind = "application/vnd.oci.image.layer.v1.tar+gzip";
    format!(
        r#"{{"schemaVersion": 2, "layers": [{{"mediaType": "{kind}", "digest": "{blob}", "size": 1}}]}}"#
    )
}

/// A remote whose credentials name the server that they are for.
fn remote(servers: &[&Server]) -> OciRemote {
    let named_hosts = servers.iter().map(|server| server.host.clone()).collect();
    let credentials = Arc::new(|origin: &str| Some(format!("Basic for-{origin}")));
    OciRemote::new(HttpOptions {
        named_hosts,
        credentials: Some(credentials),
        ..HttpOptions::default()
    })
}

fn source(server: &Server) -> String {
    format!("oci+http://{}/team/pdf:1", server.host)
}

fn kind(server: &Server) -> RemoteErrorKind {
    let request = RemoteRequest::latest(source(server));
    let resolved = remote(&[server]).resolve(&request, &Cancel::default());
    resolved.map_err(|error: RemoteError| error.kind).unwrap_err()
}

fn has(lines: &[String], text: &str) -> bool {
    lines.iter().any(|line| line.contains(text))
}

/// Answers with a body to requests that have a token, and with a challenge to others.
fn on_token(server: &Server, path: &str, realm: &str, body: Vec<u8>) {
    let realm = realm.to_owned();
    server.on(path, move |lines, stream| {
        let is_allowed = has(lines, "Bearer t0ken");
        let (status, body) = if is_allowed { ("200 OK", &body[..]) } else { ("401 No", &b""[..]) };
        let challenge = format!("Bearer realm=\"{realm}\",service=\"registry\"");
        let length = body.len();
        let _ = write!(
            stream,
            "HTTP/1.1 {status}\r\nConnection: close\r\nWWW-Authenticate: {challenge}\r\nContent-Length: {length}\r\n\r\n"
        );
        let _ = stream.write_all(body);
    });
}

#[test]
fn credentials_and_tokens_stay_with_their_server() {
    let [registry, tokens, storage] = [(); 3].map(|()| Server::new());
    let bytes = package();
    let blob = Digest::of(&bytes);
    let realm = tokens.url("/token");
    on_token(&registry, MANIFEST, &realm, manifest(&blob.to_string()).into());
    registry.redirect(&format!("/v2/team/pdf/blobs/{blob}"), &storage.url("/blob"));
    storage.on_get("/blob", bytes.clone());
    let query = "/token?service=registry&scope=repository:team/pdf:pull";
    tokens.on_get(query, r#"{"token": "t0ken"}"#);
    let remote = remote(&[&registry, &tokens, &storage]);
    let request = RemoteRequest::latest(source(&registry));
    let artifact = remote.resolve(&request, &Cancel::default()).unwrap().remove(0);
    assert_eq!((artifact.kind, artifact.digest), (ArtifactKind::Archive, Some(blob)));
    assert_eq!(remote.fetch(&artifact, 1024 * 1024, &Cancel::default()), Ok(bytes));
    assert_eq!(tokens.requests().len(), 1, "the token is used again");
    let own = |server: &Server| format!("Basic for-http://{}", server.host);
    assert!(tokens.requests().iter().all(|lines| !has(lines, &own(&registry))));
    assert!(tokens.requests().iter().all(|lines| has(lines, &own(&tokens))));
    assert!(storage.requests().iter().all(|lines| !has(lines, "uthorization")));
    assert!(!format!("{remote:?} {artifact:?}").contains("t0ken"));
}

#[test]
fn wrong_answers_are_refused() {
    let server = Server::new();
    let other = Digest::of(b"other");
    for (text, expected) in [
        ("<html>".to_owned(), RemoteErrorKind::Invalid),
        (manifest("md5:12"), RemoteErrorKind::Invalid),
        (manifest("sha256:../../token"), RemoteErrorKind::Invalid),
        (r#"{"schemaVersion": 2}"#.to_owned(), RemoteErrorKind::Invalid),
        ("{".repeat(100_000), RemoteErrorKind::Invalid),
        (" ".repeat(5 * 1024 * 1024), RemoteErrorKind::TooLarge),
    ] {
        server.on_get(MANIFEST, text.clone());
        assert_eq!(kind(&server), expected, "{}", &text[..text.len().min(80)]);
    }
    // The manifest of an index is another one than its digest says.
    let index = format!(
        r#"{{"schemaVersion": 2, "manifests": [{{"mediaType": "a", "digest": "{other}", "size": 1}}]}}"#
    );
    server.on_get(MANIFEST, index);
    assert_eq!(kind(&server), RemoteErrorKind::NotFound);
    server.on_get(&format!("/v2/team/pdf/manifests/{other}"), manifest(&other.to_string()));
    assert_eq!(kind(&server), RemoteErrorKind::Invalid);
    let actual = Digest::of(manifest(&other.to_string()).as_bytes());
    server.on_get(MANIFEST, format!(
        r#"{{"schemaVersion": 2, "manifests": [{{"mediaType": "a", "digest": "{actual}", "size": 1}}]}}"#
    ));
    server.on_get(&format!("/v2/team/pdf/manifests/{actual}"), manifest(&other.to_string()));
    let request = RemoteRequest::latest(source(&server));
    let artifact = remote(&[&server]).resolve(&request, &Cancel::default()).unwrap().remove(0);
    assert_eq!(artifact.revision, Some(actual.to_string()), "an index with one manifest");
}

#[test]
fn moved_tag_is_named() {
    let moves = ["latest", "stable", "1", "v7", "1.2", "v1.2", "1.2-alpine"];
    let stays = ["1.2.3", "v1.2.3", "2024-06-01", "20240601", "sha-3f2c1aa", "release-1_2_3"];
    let others = ["build-4471", "4471", "1.2-rc1", "1-2", "py3"];
    for tag in moves.iter().chain(&stays).chain(&others) {
        let request = RemoteRequest::latest(format!("oci://example.com/team/pdf:{tag}"));
        let answer = remote(&[]).step_back(&request, "sha256:1", "sha256:2", &Cancel::default());
        let named = (!moves.contains(tag)).then(|| format!("the tag `{tag}` was moved"));
        assert_eq!(answer, Ok(named), "{tag}");
    }
}

#[test]
fn challenges_end() {
    let [server, private] = [(); 2].map(|()| Server::new());
    private
        .on_get("/token?service=registry&scope=repository:team/pdf:pull", r#"{"token": "t0ken"}"#);
    for (realm, expected) in [
        (private.url("/token"), RemoteErrorKind::Unsupported),
        (format!("https://{}/token", private.host), RemoteErrorKind::Denied),
        (server.url("/missing"), RemoteErrorKind::NotFound),
        ("file:///etc/passwd".to_owned(), RemoteErrorKind::Unsupported),
    ] {
        on_token(&server, MANIFEST, &realm, Vec::new());
        assert_eq!(kind(&server), expected, "{realm}");
    }
    assert!(private.requests().is_empty(), "a server that was not named is not asked");
    let path = "/token?service=registry&scope=repository:team/pdf:pull";
    for (token, expected) in [
        (r#"{"token": "another"}"#, RemoteErrorKind::Denied),
        (r#"{"token": "t0ken\r\nX-Injected: 1"}"#, RemoteErrorKind::Invalid),
        (r#"{"token": ""}"#, RemoteErrorKind::Invalid),
        (r#"{"other": 1}"#, RemoteErrorKind::Invalid),
    ] {
        on_token(&server, MANIFEST, &server.url("/token"), Vec::new());
        server.on_get(path, token);
        assert_eq!(kind(&server), expected, "{token}");
    }
}

/// A registry with a package, and the location of its signatures.
struct Signed {
    server: Server,
    remote: OciRemote,
    /// The path of the manifest of the package, by its digest.
    subject: String,
    signatures: RemoteArtifact,
}

impl Signed {
    fn new() -> Self {
        let server = Server::new();
        server.on_get(MANIFEST, manifest(&Digest::of(b"package").to_string()));
        let remote = remote(&[&server]);
        let request = RemoteRequest::latest(source(&server));
        let artifact = remote.resolve(&request, &Cancel::default()).unwrap().remove(0);
        let signatures = RemoteArtifact::plain(artifact.signature.unwrap().bundle.unwrap());
        Self { server, remote, subject: artifact.revision.unwrap(), signatures }
    }

    fn put_blob(&self, content: &str) -> String {
        let digest = Digest::of(content.as_bytes()).to_string();
        self.server.on_get(&format!("/v2/team/pdf/blobs/{digest}"), content);
        digest
    }

    /// Stores the manifest under the tag `.sig`.
    fn put_tag(&self, manifest: impl Into<Vec<u8>>) {
        let tag = self.subject.replace(':', "-");
        self.server.on_get(&format!("/v2/team/pdf/manifests/{tag}.sig"), manifest.into());
    }

    /// Stores a bundle that refers to the package.
    fn put_bundle(&self, content: &str) {
        let kind = "application/vnd.dev.sigstore.bundle.v0.3+json";
        let blob = self.put_blob(content);
        let referrer = manifest(&blob);
        let digest = Digest::of(referrer.as_bytes());
        self.server.on_get(&format!("/v2/team/pdf/manifests/{digest}"), referrer);
        let index = format!(
            r#"{{"schemaVersion": 2, "manifests": [{{"mediaType": "a", "digest": "{digest}",
            "size": 1, "artifactType": "{kind}"}}]}}"#
        );
        self.server.on_get(&format!("/v2/team/pdf/referrers/{}", self.subject), index);
    }

    fn fetch(&self, limit: usize) -> Result<String, RemoteErrorKind> {
        let fetched = self.remote.fetch(&self.signatures, limit, &Cancel::default());
        fetched.map(|bytes| String::from_utf8(bytes).unwrap()).map_err(|error| error.kind)
    }
}

/// A manifest whose layers have the type of what cosign signs.
fn simple_signing(blobs: &[&str]) -> String {
    let kind = "application/vnd.dev.cosign.simplesigning.v1+json";
    let layer = |blob: &&str| {
        format!(
            r#"{{"mediaType": "{kind}", "digest": "{blob}", "size": 7,
            "annotations": {{"dev.cosignproject.cosign/signature": "MEUCIQ=="}}}}"#
        )
    };
    let layers: Vec<_> = blobs.iter().map(layer).collect();
    format!(r#"{{"schemaVersion": 2, "layers": [{}]}}"#, layers.join(","))
}

#[test]
fn layers_of_the_signature_tag_are_fetched_with_their_content() {
    let signed = Signed::new();
    assert_eq!(signed.fetch(1024), Err(RemoteErrorKind::NotFound), "nothing is signed");
    let [blob, other] = ["payload", "another"].map(|text| signed.put_blob(text));
    signed.put_tag(manifest(&blob));
    assert_eq!(signed.fetch(1024), Err(RemoteErrorKind::NotFound), "the tag has something else");
    signed.put_tag(simple_signing(&[&blob, &other]));
    let layer = |blob: &str, data: &str| {
        format!(
            "{{\"mediaType\":\"application/vnd.dev.cosign.simplesigning.v1+json\",\
             \"digest\":\"{blob}\",\"size\":7,\"annotations\":\
             {{\"dev.cosignproject.cosign/signature\":\"MEUCIQ==\"}},\"data\":\"{data}\"}}\n"
        )
    };
    let expected = layer(&blob, "cGF5bG9hZA==") + &layer(&other, "YW5vdGhlcg==");
    assert_eq!(signed.fetch(1024), Ok(expected));
    signed.put_tag("{");
    assert_eq!(signed.fetch(1024), Err(RemoteErrorKind::Invalid));
}

#[test]
fn layers_of_the_signature_tag_are_bounded() {
    let signed = Signed::new();
    let blob = signed.put_blob("payload");
    signed.put_tag(simple_signing(&[&blob]));
    let length = signed.fetch(1024).unwrap().len();
    assert!(signed.fetch(length).is_ok(), "the limit itself is enough");
    for limit in [0, 6, 7, length - 1] {
        assert_eq!(signed.fetch(limit), Err(RemoteErrorKind::TooLarge), "{limit}");
    }
    let many = 1024 * 1024;
    signed.put_tag(simple_signing(&[blob.as_str(); 50]));
    assert!(signed.fetch(many).is_ok());
    signed.put_tag(simple_signing(&[blob.as_str(); 51]));
    assert_eq!(signed.fetch(many), Err(RemoteErrorKind::TooLarge));
}

/// Anyone may add a bundle, which takes nothing away from the signature.
#[test]
fn bundles_and_the_signature_tag_are_both_fetched() {
    let signed = Signed::new();
    signed.put_bundle(r#"{"a":"bundle"}"#);
    assert_eq!(signed.fetch(1024).as_deref(), Ok("{\"a\":\"bundle\"}\n"));
    signed.put_tag(simple_signing(&[&signed.put_blob("payload")]));
    let both = signed.fetch(1024).unwrap();
    let lines: Vec<_> = both.lines().collect();
    assert_eq!((lines.len(), lines[0]), (2, r#"{"a":"bundle"}"#));
    assert!(lines[1].ends_with(r#""data":"cGF5bG9hZA=="}"#), "{both}");
}

#[test]
fn bundles_and_their_subject_are_bounded_and_pinned() {
    let server = Server::new();
    server.on_get(MANIFEST, manifest(&Digest::of(b"package").to_string()));
    let remote = remote(&[&server]);
    let request = RemoteRequest::latest(source(&server));
    let artifact = remote.resolve(&request, &Cancel::default()).unwrap().remove(0);
    let signature = artifact.signature.unwrap();
    let fetch = |location: &Option<String>| {
        let location = RemoteArtifact::plain(location.clone().unwrap());
        remote.fetch(&location, 1024 * 1024, &Cancel::default()).map_err(|error| error.kind)
    };
    let revision = artifact.revision.unwrap();
    let listed = format!(r#"{{"mediaType": "a", "digest": "{revision}", "size": 1}}"#);
    let listed = vec![listed; 51].join(",");
    let index = format!(r#"{{"schemaVersion": 2, "manifests": [{listed}]}}"#);
    server.on_get(&format!("/v2/team/pdf/referrers/{revision}"), index);
    let requests = server.requests().len();
    assert_eq!(fetch(&signature.bundle), Err(RemoteErrorKind::TooLarge));
    assert_eq!(server.requests().len(), requests + 1, "none of so many is requested");
    server.on_get(&format!("/v2/team/pdf/manifests/{revision}"), "another manifest");
    assert_eq!(fetch(&signature.subject), Err(RemoteErrorKind::Invalid));
}
