//! Checks of the last use and of the expiry.

use prowess_core::{SessionStore, StoredSession, Timestamp};

use super::sample::{
    WORKING, check_removed, delete, expect, expire, id, load, session, session_at,
    store as put_new, stored, touch,
};

pub(super) fn touch_records_the_last_use(store: &dyn SessionStore) {
    let id = id("touch");
    put_new(store, &session_at(&id, 1, 10, None), &[], None);
    expect(touch(store, &id, 20, Some(500)), true, "`touch` of a stored session");
    stored(store, &id, Some(session_at(&id, 1, 20, Some(500))), "the session after `touch`");
    touch(store, &id, 30, None);
    stored(
        store,
        &id,
        Some(session_at(&id, 1, 30, None)),
        "the session after `touch` without expiry",
    );
}

pub(super) fn touch_changes_nothing_else(store: &dyn SessionStore) {
    let id = id("touch-put");
    put_new(store, &session(&id, 1), &[], None);
    touch(store, &id, 20, None);
    stored(store, &id, Some(session_at(&id, 1, 20, None)), "the session after `touch`");
    put_new(store, &session_at(&id, 2, 30, None), &[], Some(1));
}

pub(super) fn touch_never_moves_back(store: &dyn SessionStore) {
    let id = id("touch-back");
    put_new(store, &session_at(&id, 1, 20, Some(300)), &[], None);
    expect(touch(store, &id, 15, Some(900)), true, "`touch` of a session that was used later");
    stored(
        store,
        &id,
        Some(session_at(&id, 1, 20, Some(300))),
        "the session after an early `touch`",
    );
}

pub(super) fn touch_reports_a_missing_session(store: &dyn SessionStore) {
    let id = id("touch-absent");
    expect(touch(store, &id, 20, None), false, "`touch` of a session that was never stored");
    expect(load(store, &id), None, "the session after `touch` of none");
    put_new(store, &session(&id, 1), &[], None);
    delete(store, &id, 1);
    expect(touch(store, &id, 30, None), false, "`touch` of a deleted session");
    expect(load(store, &id), None, "a deleted session after `touch`");
}

pub(super) fn put_records_the_last_use(store: &dyn SessionStore) {
    let id = id("put-use");
    put_new(store, &session_at(&id, 1, 10, Some(100)), &[], None);
    put_new(store, &session_at(&id, 2, 20, Some(200)), &[], Some(1));
    stored(store, &id, Some(session_at(&id, 2, 20, Some(200))), "the session after a later `put`");
}

pub(super) fn put_never_moves_the_last_use_back(store: &dyn SessionStore) {
    let id = id("put-back");
    put_new(store, &session_at(&id, 1, 10, Some(100)), &[], None);
    touch(store, &id, 50, Some(500));
    put_new(store, &session_at(&id, 2, 20, Some(200)), &[], Some(1));
    let expected = Some(StoredSession {
        touched: Timestamp(50),
        expires: Some(Timestamp(500)),
        ..session(&id, 2)
    });
    stored(store, &id, expected, "the session after a `put` with an earlier use");
}

pub(super) fn expire_deletes_the_expired(store: &dyn SessionStore) {
    let [early, exact] = ["expire-early", "expire-exact"].map(id);
    put_new(store, &session_at(&early, 1, 10, Some(999)), &[], None);
    put_new(store, &session_at(&exact, 1, 10, Some(1_000)), &[], None);
    expire(store, 998);
    assert!(load(store, &early).is_some(), "a session is deleted before it expires");
    let deleted = expire(store, 1_000);
    expect(load(store, &early), None, "a session that expired earlier");
    expect(load(store, &exact), None, "a session that expires at this moment");
    assert!(deleted >= 2, "{deleted} deleted sessions are reported");
    expect(expire(store, 1_000), 0, "the number of deleted sessions of a second call");
}

pub(super) fn expire_keeps_the_others(store: &dyn SessionStore) {
    let [later, never] = ["expire-later", "expire-never"].map(id);
    put_new(store, &session_at(&later, 1, 10, Some(2_001)), &[], None);
    put_new(store, &session_at(&never, 1, 10, None), &[], None);
    expire(store, 2_000);
    stored(
        store,
        &later,
        Some(session_at(&later, 1, 10, Some(2_001))),
        "a session that expires later",
    );
    stored(store, &never, Some(session_at(&never, 1, 10, None)), "a session that does not expire");
}

pub(super) fn expire_one_deletes_the_named(store: &dyn SessionStore) {
    let [gone, kept] = ["one-gone", "one-kept"].map(id);
    put_new(store, &session_at(&gone, 1, 10, Some(2_500)), &[], None);
    put_new(store, &session_at(&kept, 1, 10, Some(2_501)), &[], None);
    for named in [&kept, &gone] {
        let removed = store.expire_one(named, Timestamp(2_500)).expect(WORKING);
        check_removed(store, &removed);
    }
    expect(load(store, &gone), None, "a session that has expired, after `expire_one`");
    let other = Some(session_at(&kept, 1, 10, Some(2_501)));
    stored(store, &kept, other, "a session that has not expired, after `expire_one`");
}

pub(super) fn expire_follows_the_last_use(store: &dyn SessionStore) {
    let [extended, shortened] = ["expire-extended", "expire-shortened"].map(id);
    put_new(store, &session_at(&extended, 1, 10, Some(3_000)), &[], None);
    put_new(store, &session_at(&shortened, 1, 10, None), &[], None);
    touch(store, &extended, 20, Some(4_000));
    touch(store, &shortened, 20, Some(3_000));
    expire(store, 3_000);
    stored(
        store,
        &extended,
        Some(session_at(&extended, 1, 20, Some(4_000))),
        "a session after its use",
    );
    expect(load(store, &shortened), None, "a session whose use set an earlier expiry");
}
