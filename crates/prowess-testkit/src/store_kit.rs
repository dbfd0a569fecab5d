//! The `# Behavior` list of `SessionStore` as checks, one for each rule.

mod changes;
mod contents;
mod last_use;
mod listing;
mod sample;

use prowess_core::SessionStore;

use crate::KitReport;

type Check = fn(&dyn SessionStore);

/// The rules of [`SessionStore`] with their checks. Each check uses ids of its own.
const RULES: &[(&str, Check)] = &[
    ("load-returns-the-last-put", changes::load_returns_the_last_put),
    ("load-from-any-thread", changes::load_from_any_thread),
    ("sessions-are-separate", changes::sessions_are_separate),
    ("put-stores-a-new-session", changes::put_stores_a_new_session),
    ("put-keeps-an-existing-session", changes::put_keeps_an_existing_session),
    ("put-needs-the-expected-operation", changes::put_needs_the_expected_operation),
    ("put-needs-an-existing-session", changes::put_needs_an_existing_session),
    ("put-race-has-one-winner", changes::put_race_has_one_winner),
    ("put-recognizes-its-operation", changes::put_recognizes_its_operation),
    ("put-forgets-overwritten-operations", changes::put_forgets_overwritten_operations),
    ("contents-are-returned-in-order", contents::contents_are_returned_in_order),
    ("contents-are-shared", contents::contents_are_shared),
    ("contents-stay-while-referred-to", contents::contents_stay_while_referred_to),
    ("contents-stay-with-the-next-put", contents::contents_stay_with_the_next_put),
    ("contents-go-with-the-last-session", contents::contents_go_with_the_last_session),
    ("contents-go-when-replaced", contents::contents_go_when_replaced),
    ("removed-sessions-have-their-texts", contents::removed_sessions_have_their_texts),
    ("put-without-its-content-fails", contents::put_without_its_content_fails),
    ("put-in-conflict-stores-no-content", contents::put_in_conflict_stores_no_content),
    ("touch-records-the-last-use", last_use::touch_records_the_last_use),
    ("touch-changes-nothing-else", last_use::touch_changes_nothing_else),
    ("touch-never-moves-back", last_use::touch_never_moves_back),
    ("touch-reports-a-missing-session", last_use::touch_reports_a_missing_session),
    ("put-records-the-last-use", last_use::put_records_the_last_use),
    ("put-never-moves-the-last-use-back", last_use::put_never_moves_the_last_use_back),
    ("expire-deletes-the-expired", last_use::expire_deletes_the_expired),
    ("expire-keeps-the-others", last_use::expire_keeps_the_others),
    ("expire-one-deletes-the-named", last_use::expire_one_deletes_the_named),
    ("expire-follows-the-last-use", last_use::expire_follows_the_last_use),
    ("list-is-ordered-and-limited", listing::list_is_ordered_and_limited),
    ("list-pages-are-complete", listing::list_pages_are_complete),
    ("list-shows-each-session", listing::list_shows_each_session),
    ("delete-removes-a-session", changes::delete_removes_a_session),
    ("delete-reports-a-missing-session", changes::delete_reports_a_missing_session),
    ("delete-needs-the-expected-operation", changes::delete_needs_the_expected_operation),
    ("deleted-sessions-stay-deleted", changes::deleted_sessions_stay_deleted),
    ("evict-removes-the-least-recent", listing::evict_removes_the_least_recent),
    ("evict-keeps-the-named-session", listing::evict_keeps_the_named_session),
    ("evict-follows-the-last-use", listing::evict_follows_the_last_use),
];

/// Checks every rule of [`SessionStore`] on an empty store, which has a few sessions afterwards.
///
/// A check that panics has failed, like one that finds a broken rule.
pub fn check_store(store: &dyn SessionStore) -> KitReport {
    KitReport::of(RULES, |_, check| check(store))
}
