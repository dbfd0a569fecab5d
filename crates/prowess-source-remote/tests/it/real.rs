//! Tests against real servers, which `cargo xtask remotes` starts.

mod oci;
mod s3;

/// Returns a variable that says where a server is.
fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("`{name}` is not set: run `cargo xtask remotes`"))
}
