//! Tests of what is refused before a server is asked.

use prowess_postgres::{Database, PostgresError};
use prowess_testkit::rows;

#[test]
fn url_that_cannot_be_used_is_refused_without_its_password() {
    for row in rows(
        include_str!("../data/tables.txt"),
        "url_that_cannot_be_used_is_refused_without_its_password",
    ) {
        let [url, reason] = row.each_ref().map(String::as_str);
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
