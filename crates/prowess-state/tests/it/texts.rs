//! Texts between two starts.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use prowess_state::TextCache;

#[test]
fn last_text_of_a_key_is_loaded() {
    let place = tempfile::tempdir().expect("a temporary directory");
    let cache = TextCache::new(place.path().join("prompts"));
    assert_eq!(cache.load("one").expect("it is private"), None);
    cache.save("one", "first").expect("the directory can be made");
    cache.save("two", "of another key").expect("it is there");
    cache.save("one", "second").expect("it replaces the first");
    assert_eq!(cache.load("one").expect("it is private").as_deref(), Some("second"));
    assert_eq!(cache.load("two").expect("it is private").as_deref(), Some("of another key"));
}

#[test]
fn file_that_others_can_write_is_rejected() {
    let place = tempfile::tempdir().expect("a temporary directory");
    let cache = TextCache::new(place.path().join("prompts"));
    cache.save("one", "text").expect("the directory can be made");
    let file = fs::read_dir(place.path().join("prompts")).expect("it was made").next();
    let file = file.expect("one text").expect("it can be listed").path();
    let mode = fs::metadata(&file).expect("it is there").permissions().mode();
    assert_eq!(mode & 0o077, 0, "only the user can read it");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).expect("it is ours");
    assert!(cache.load("one").is_err());
}
