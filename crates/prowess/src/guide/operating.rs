//! Running the server for other people's agents.
//!
//! ```console
//! $ prowess --root /srv/skills serve    # for one client, on stdin and stdout
//! $ prowess --root /srv/skills serve --http 127.0.0.1:8080    # for many, over Streamable HTTP
//! $ prowess mcp config --client cursor  # the block for a client's configuration
//! $ prowess doctor                      # every problem with the setup
//! ```
//!
//! # Reachable from elsewhere
//!
//! An address other than a loopback one needs a token (`--token-file`, or `PROWESS_HTTP_TOKEN`), an
//! authorization server, or both; then either token is enough:
//!
//! ```console
//! $ prowess serve --http 0.0.0.0:443 --tls-cert fullchain.pem --tls-key privkey.pem \
//!     --oauth-issuer https://auth.example --oauth-scope skills:use \
//!     --oauth-resource https://skills.example/mcp
//! ```
//!
//! Clients find the authorization server by themselves (`/.well-known/oauth-protected-resource`).
//! Its access tokens have to be JSON Web Tokens for the URL of `--oauth-resource`, signed by RSA,
//! ECDSA or Ed25519. Sessions and limits are then those of a user instead of an address. If the
//! certificate of the authorization server is of a private authority, `SSL_CERT_FILE` names that.
//!
//! Without `--tls-cert`, put a reverse proxy in front that speaks TLS and keeps the header `Host`,
//! and pass the public name with `--allow-host` or `--oauth-resource`, since `Host` and `Origin`
//! are checked. Clients then share the proxy's address, and its limits. After a new certificate,
//! restart the server.
//!
//! `/healthz` answers while the server accepts work, and `/metrics` has counters in the format of
//! Prometheus. `SIGTERM` ends the running calls first.
//!
//! # Changes
//!
//! The server reloads skills when files change and notifies its clients; `SIGHUP` requests a
//! reload. A broken version never replaces a good one. `refresh` in the configuration chooses
//! polling or a maximum age instead, for file systems that report no changes.
//!
//! # Approvals and the audit
//!
//! With `audit: { log: keep }`, every call is in `audit.jsonl`, each entry with the hash of the one
//! before. `prowess audit verify` checks the chain, `prowess audit show` shows each session as a
//! story, and `prowess audit stats` sums it up. With `audit: { policy: required }`, nothing runs
//! whose intent is not on disk. Keep the last hash elsewhere: a log that is rewritten as a whole
//! has an unbroken chain, too.
//!
//! Calls that need a person wait in `prowess approvals list` until a person grants or denies them.
//! A model cannot answer them.
//!
//! # Skills from elsewhere
//!
//! `prowess add SOURCE` installs skills, and `prowess.lock` has the digest of each. In a
//! deployment, commit the lock file and run `prowess sync --frozen`; `prowess verify` compares the
//! installed files with it. Installed skills are untrusted: they grant no tools, and none shadows
//! your own.
//!
//! `sources.mcp` in the configuration names MCP servers whose skills are offered, by a command or a
//! URL; see `prowess config init --print`. The last good listing of a server stays in use while the
//! server is away, with the warning `mcp-server-stale`.
