//! Tokens of an authorization server, among them those of attackers.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use prowess_mcp::{HttpOptions, HttpServer, HttpToken, OAuthOptions, ServeError};
use ring::hmac;
use serde_json::{Value, json};

use super::issuer::{ISSUER, Issuer, Key, NOW, RESOURCE, claims, encoded};
use super::{Answer, Request, Server, TOKEN, load};
use crate::block_on;

const METRICS: Request<'static> = Request { line: "GET /metrics", ..Request::POST };
const METADATA: &str = "https://skills.example/.well-known/oauth-protected-resource/mcp";

fn send(server: &Server, token: &str) -> Answer {
    let headers = format!("Authorization: Bearer {token}\r\n");
    block_on(server.send(Request { headers: &headers, ..METRICS }))
}

#[track_caller]
fn check(server: &Server, token: &str, status: u16) {
    let answer = send(server, token);
    assert_eq!(answer.status(), status, "{token}: {answer:?}");
}

#[test]
fn token_for_this_server_is_accepted() {
    let keys = [Key::p256("elliptic"), Key::ed25519("edwards")];
    let server = Issuer::with(&keys).serve();
    for key in &keys {
        for changes in [
            json!({}),
            json!({ "aud": RESOURCE }),
            json!({ "nbf": NOW + 20 }),
            json!({ "exp": NOW - 20 }),
            json!({ "scope": null, "scp": ["skills:use"] }),
        ] {
            check(&server, &key.token(&changes), 200);
        }
        let unnamed = json!({ "alg": key.algorithm() }).to_string();
        check(&server, &key.token_of(&unnamed, &claims().to_string()), 200);
    }
}

#[test]
fn request_without_a_token_learns_where_to_get_one() {
    let server = Issuer::with(&[Key::p256("one")]).serve();
    let answer = block_on(server.send(METRICS));
    assert_eq!(answer.status(), 401);
    let challenge = format!("Bearer scope=\"skills:use\", resource_metadata=\"{METADATA}\"");
    assert_eq!(answer.header("www-authenticate"), Some(challenge.as_str()));
    for path in ["", "/mcp"] {
        let line = format!("GET /.well-known/oauth-protected-resource{path}");
        let found = block_on(server.send(Request { line: &line, ..METRICS }));
        assert_eq!(found.status(), 200, "the metadata needs no token: {found:?}");
        let (_, body) = found.0.split_once("\r\n\r\n").unwrap();
        let metadata: Value = serde_json::from_str(body).unwrap();
        assert_eq!(metadata["resource"], RESOURCE);
        assert_eq!(metadata["authorization_servers"], json!([ISSUER]));
        assert_eq!(metadata["scopes_supported"], json!(["skills:use"]));
    }
    let line = "GET /.well-known/oauth-protected-resource/other";
    assert_eq!(block_on(server.send(Request { line, ..METRICS })).status(), 401);
    assert_eq!(block_on(server.send(Request { line: "GET /healthz", ..METRICS })).status(), 200);
}

#[test]
fn forged_or_foreign_token_is_refused() {
    let key = Key::p256("one");
    let issuer = Issuer::with(&[Arc::clone(&key)]);
    let server = issuer.serve();
    check(&server, &key.token(&json!({})), 200);
    let (valid_claims, valid_header) = (claims().to_string(), key.header().to_string());
    let stranger = Key::p256("one");
    let with_header = |signer: &Key, changes: Value| {
        let mut header = key.header();
        for (name, value) in changes.as_object().cloned().unwrap_or_default() {
            header[&name] = value;
        }
        signer.token_of(&header.to_string(), &valid_claims)
    };
    let unsigned = |algorithm: &str| {
        let header = json!({ "alg": algorithm, "kid": "one" }).to_string();
        format!("{}.{}.", encoded(header.as_bytes()), encoded(valid_claims.as_bytes()))
    };
    let by_secret = {
        // The secret is what everybody knows: the public key.
        let secret = hmac::Key::new(hmac::HMAC_SHA256, key.public().to_string().as_bytes());
        let header = json!({ "alg": "HS256", "kid": "one" }).to_string();
        let signed = format!("{}.{}", encoded(header.as_bytes()), encoded(valid_claims.as_bytes()));
        format!("{signed}.{}", encoded(hmac::sign(&secret, signed.as_bytes()).as_ref()))
    };
    let valid = key.token(&json!({}));
    let parts: Vec<&str> = valid.split('.').collect();
    let other_claims = encoded(claims().to_string().replace("ada", "eve").as_bytes());
    let twice = valid_claims.replacen('{', "{\"aud\":\"https://skills.example/mcp\",", 1);
    let mut tokens = vec![
        unsigned("none"),
        unsigned("None"),
        unsigned("ES256"),
        by_secret,
        stranger.token(&json!({})),
        with_header(&stranger, json!({ "jwk": stranger.public() })),
        with_header(&stranger, json!({ "kid": "two", "jku": "https://evil.test/jwks" })),
        with_header(&stranger, json!({ "kid": "../../dev/null" })),
        with_header(&key, json!({ "crit": ["b64"], "b64": false })),
        with_header(&key, json!({ "typ": "dpop+jwt" })),
        with_header(&key, json!({ "typ": "logout+jwt" })),
        with_header(&key, json!({ "alg": "EdDSA" })),
        with_header(&key, json!({ "alg": 7 })),
        key.token_of("[]", &valid_claims),
        key.token_of(&valid_header, "[]"),
        key.token_of(&valid_header, ""),
        key.token_of(&valid_header, &twice),
        format!("{}.{other_claims}.{}", parts[0], parts[2]),
        format!("{}.{}", parts[0], parts[1]),
        format!("{valid}.{}", parts[2]),
        format!("{valid}="),
        format!("{}.{}.{}A", parts[0], parts[1], parts[2]),
        format!("..{}", parts[2]),
        "x".repeat(20_000),
        format!("{}.{}.x", encoded("[".repeat(5000).as_bytes()), parts[1]),
    ];
    tokens.extend(
        [
            json!({ "iss": "https://auth.example" }),
            json!({ "iss": "https://auth.example/tenant/" }),
            json!({ "aud": "https://skills.example" }),
            json!({ "aud": "https://skills.example/mcp/x" }),
            json!({ "aud": "client-of-an-id-token" }),
            json!({ "aud": [] }),
            json!({ "aud": null }),
            json!({ "exp": NOW - 31 }),
            json!({ "exp": (NOW + 600).to_string() }),
            json!({ "exp": null }),
            json!({ "nbf": NOW + 31 }),
            json!({ "nbf": "0" }),
            json!({ "sub": "" }),
            json!({ "sub": null }),
            json!({ "cnf": { "jkt": "x" } }),
        ]
        .map(|changes| key.token(&changes)),
    );
    for token in tokens {
        let answer = send(&server, &token);
        assert_eq!(answer.status(), 401, "{token}: {answer:?}");
        let challenge = answer.header("www-authenticate").unwrap_or_default();
        assert!(challenge.starts_with("Bearer error=\"invalid_token\", "), "{challenge}");
        assert!(challenge.contains(METADATA), "{challenge}");
    }
    let fetched = issuer.fetched.lock().unwrap();
    assert!(!fetched.iter().any(|url| url.contains("evil")), "a token names no URL: {fetched:?}");
    drop(fetched);
    let line = format!("GET /metrics?access_token={valid}");
    let answer = block_on(server.send(Request { line: &line, ..METRICS }));
    assert_eq!(answer.status(), 401, "a token belongs into its header");
    check(&server, &valid, 200);
}

#[test]
fn token_without_the_scope_is_forbidden() {
    let key = Key::p256("one");
    let server = Issuer::with(&[Arc::clone(&key)]).serve();
    for scope in ["openid", "skills:use2", "xskills:use", "SKILLS:USE", ""] {
        let answer = send(&server, &key.token(&json!({ "scope": scope })));
        assert_eq!(answer.status(), 403, "{scope}: {answer:?}");
        let challenge = answer.header("www-authenticate").unwrap_or_default();
        let expected = "Bearer error=\"insufficient_scope\", scope=\"skills:use\", ";
        assert!(challenge.starts_with(expected), "{challenge}");
    }
}

#[test]
fn replaced_key_is_fetched_when_it_is_needed() {
    let (old, new) = (Key::p256("old"), Key::p256("new"));
    let issuer = Issuer::with(&[Arc::clone(&old)]);
    let server = issuer.serve();
    check(&server, &old.token(&json!({})), 200);
    *issuer.keys.lock().unwrap() = vec![Arc::clone(&new)];
    for _ in 0..20 {
        check(&server, &Key::p256("unknown").token(&json!({})), 401);
    }
    assert_eq!(issuer.fetches(), 1, "unknown keys are no way to load the authorization server");
    issuer.clock.advance(Duration::from_secs(10));
    check(&server, &new.token(&json!({})), 200);
    assert_eq!(issuer.fetches(), 2);
    check(&server, &old.token(&json!({})), 401);
}

#[test]
fn withdrawn_key_counts_for_ten_minutes_at_most() {
    let (first, second) = (Key::p256("first"), Key::p256("second"));
    let issuer = Issuer::with(&[Arc::clone(&first), Arc::clone(&second)]);
    let server = issuer.serve();
    check(&server, &first.token(&json!({})), 200);
    issuer.keys.lock().unwrap().remove(0);
    issuer.clock.advance(Duration::from_secs(601));
    check(&server, &first.token(&json!({})), 401);
    check(&server, &second.token(&json!({})), 200);
}

#[test]
fn known_keys_count_for_an_hour_without_the_issuer() {
    let key = Key::p256("one");
    let issuer = Issuer::with(&[Arc::clone(&key)]);
    *issuer.is_down.lock().unwrap() = true;
    let server = issuer.serve();
    check(&server, &key.token(&json!({})), 503);
    *issuer.is_down.lock().unwrap() = false;
    issuer.clock.advance(Duration::from_secs(10));
    check(&server, &key.token(&json!({})), 200);
    *issuer.is_down.lock().unwrap() = true;
    issuer.clock.advance(Duration::from_secs(3600));
    check(&server, &key.token(&json!({})), 200);
    issuer.clock.advance(Duration::from_secs(10));
    check(&server, &key.token(&json!({})), 503);
}

#[test]
fn session_of_a_user_is_closed_to_others() {
    let key = Key::p256("one");
    let issuer = Issuer::with(&[Arc::clone(&key)]);
    let token = Some(HttpToken::new(TOKEN).expect("it is long enough"));
    let server = Server::embedded(HttpOptions { token, ..issuer.options() });
    let bearer = |token: &str| format!("Authorization: Bearer {token}\r\n");
    let ada = bearer(&key.token(&json!({})));
    let eve = bearer(&key.token(&json!({ "sub": "eve" })));
    let script = bearer(TOKEN);
    let body = load();
    let use_session = |caller: &str, session: &str, line: &str| {
        let headers = format!("{caller}{session}");
        block_on(server.send(Request { line, headers: &headers, body: &body, ..Request::POST }))
    };
    for (owner, others) in [(&ada, [&eve, &script]), (&script, [&eve, &ada])] {
        let session = block_on(server.initialize_with(owner)).session();
        for other in others {
            for line in ["POST /mcp", "GET /mcp", "DELETE /mcp"] {
                assert_eq!(use_session(other, &session, line).status(), 404, "{line}: {other}");
            }
        }
        assert_eq!(use_session(owner, &session, "POST /mcp").status(), 200);
    }
}

#[test]
fn unusable_server_url_is_refused() {
    let loopback = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let everywhere = SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0));
    let bind = |address, issuer: &str, resource: Option<&str>, scope: &str| {
        let mut oauth = OAuthOptions::new(issuer, Arc::new(|_: &str| Err(String::new())));
        oauth.resource = resource.map(str::to_owned);
        oauth.scopes = vec![scope.to_owned()];
        let options = HttpOptions { oauth: Some(oauth), ..HttpOptions::default() };
        HttpServer::bind(address, options).map(drop)
    };
    let local = "http://127.0.0.1:9000";
    assert!(bind(loopback, local, None, "a").is_ok());
    assert!(bind(loopback, "http://[::1]:9000", None, "a").is_ok());
    assert!(bind(everywhere, ISSUER, Some(RESOURCE), "a").is_ok(), "it needs no other token");
    let issuers = "http://auth.example http://127.0.0.1.evil.test https://auth.example?x=y \
        https://auth.example#x https://user@auth.example https://auth.example/\" \
        ftp://auth.example auth.example ";
    let issuers = issuers.split(' ').map(|issuer| (loopback, issuer, None, "a"));
    let scopes = ["a b", "a\"", ""].map(|scope| (loopback, ISSUER, None, scope));
    let plain = (loopback, ISSUER, Some("http://skills.example/mcp"), "a");
    for case in issuers.chain(scopes).chain([(everywhere, ISSUER, None, "a"), plain]) {
        let (address, issuer, resource, scope) = case;
        let refused = bind(address, issuer, resource, scope);
        assert!(matches!(refused, Err(ServeError::OAuth(_))), "{issuer} {resource:?} {scope}");
    }
}

#[test]
fn probe_reports_a_foreign_issuer() {
    let issuer = Issuer::with(&[]);
    let options = issuer.options().oauth.expect("it is set");
    assert!(options.probe().is_ok());
    let foreign = OAuthOptions { issuer: "https://auth.example/other".to_owned(), ..options };
    let error = foreign.probe().expect_err("there is no such metadata").to_string();
    assert!(
        error.contains("oauth-authorization-server/other"),
        "it names what is missing: {error}"
    );
    assert!(error.contains("/other/.well-known/openid-configuration"), "{error}");
}
