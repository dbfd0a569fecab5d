//! Tests of many sessions that have expired, and of many texts.

use prowess_core::{SessionStore, Timestamp};
use prowess_postgres::Database;
use prowess_testkit::PostgresServer;

use super::samples::{id, session};

/// 5,000 sessions that expire at 1, each with a text of its own, and 1,000 that do not expire.
const MANY: &str = "INSERT INTO prowess.session SELECT 'old-' || n, 1, 1, sha256(n::text::bytea), \
         '', 1, CASE WHEN n <= 5000 THEN 1 END FROM generate_series(1, 6000) n; \
     INSERT INTO prowess.content SELECT sha256(n::text::bytea), '' FROM generate_series(1, 6000) n; \
     INSERT INTO prowess.session_content SELECT 'old-' || n, sha256(n::text::bytea) \
         FROM generate_series(1, 6000) n";

#[test]
fn backlog_is_deleted_in_bounded_calls() {
    let server = PostgresServer::start();
    let url = server.database();
    let database = Database::open(&url).unwrap();
    server.query(
        &url,
        &MANY.replace("sha256(n::text::bytea)", "substr(sha256(n::text::bytea), 1, 20)"),
    );
    let count = |table: &str| -> usize {
        server.query(&url, &format!("SELECT count(*) FROM prowess.{table}")).parse().unwrap()
    };
    let mut expired = session(1, 1);
    expired.expires = Some(Timestamp(1));
    database.put(&expired, &[], None).unwrap();
    let removed = database.expire_one(&id(1), Timestamp(1)).unwrap();
    assert_eq!((removed.len(), count("session")), (1, 6_000), "a request deletes its own session");

    let (mut left, mut texts, mut calls) = (6_000, 6_000, 0);
    while (left, texts) != (1_000, 1_000) {
        let removed = database.expire_before(Timestamp(1)).unwrap().len();
        left -= removed;
        assert_eq!((removed <= 2_000, count("session")), (true, left), "a call has a limit");
        let now = count("content");
        assert!(texts - now <= 4_000, "a call has a limit: {texts} to {now} texts");
        (texts, calls) = (now, calls + 1);
        assert!(calls <= 6, "each call goes on where the last one ended: {left}, {texts}");
    }
    let rest = database.expire_before(Timestamp(1)).unwrap();
    assert_eq!((rest.len(), count("session_content")), (0, 1_000), "the others stay");
}
