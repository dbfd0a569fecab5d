//! Tests of what is refused before a server is asked.

use prowess_postgres::{Database, PostgresError};

#[test]
fn url_that_cannot_be_used_is_refused_without_its_password() {
    for (url, reason) in [
        ("mysql://u:s3cr3t@localhost/x", "write the database as"),
        ("host=localhost password=s3cr3t", "write the database as"),
        ("postgres://u:s3cr3t@host:port/x", "write the database as"),
        ("postgres://u:s3cr3t@db.example/x", "not be encrypted"),
        ("postgres://u:s3cr3t@127.0.0.1,db.example/x", "not be encrypted"),
        ("postgres://u:s3cr3t@db.example/x?sslmode=prefer", "not be encrypted"),
        ("postgres://u:s3cr3t@localhost/x?hostaddr=192.0.2.7", "not be encrypted"),
        (
            "postgres://u:s3cr3t@localhost,localhost/x?hostaddr=127.0.0.1,192.0.2.7",
            "not be encrypted",
        ),
    ] {
        let error = Database::open(url).unwrap_err();
        let message = error.to_string();
        assert!(matches!(error, PostgresError::Url(_)), "{url}: {message}");
        assert!(message.contains(reason) && !message.contains("s3cr3t"), "{url}: {message}");
    }
}

#[test]
fn absent_server_is_unavailable() {
    let error = Database::open("postgres://u:s3cr3t@127.0.0.1:1/x").unwrap_err();
    let message = error.to_string();
    assert!(matches!(error, PostgresError::Unavailable { .. }), "{message}");
    assert!(message.ends_with("try again in 1 s") && !message.contains("s3cr3t"), "{message}");
}
