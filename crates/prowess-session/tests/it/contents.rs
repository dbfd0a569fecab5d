//! The contents that skills are stored as: encoded once, and remembered up to a limit.

use std::sync::{Arc, Mutex};

use prowess_core::{ActiveSkill, AllowedTools, Digest, LoadMode, Timestamp};
use prowess_session::{MemoryStore, SessionPolicy};
use prowess_testkit::{HookedStore, StoreCall};

use crate::faulty_store::FaultyStore;
use crate::fixture::{Host, edition, load};

/// The size of the contents that are remembered, in bytes.
const LIMIT: usize = 4 << 20;

/// A host whose store records the contents that it receives.
struct Recorded {
    host: Host,
    texts: Arc<Mutex<Vec<Arc<str>>>>,
}

impl Recorded {
    fn new() -> Self {
        let texts = Arc::new(Mutex::new(Vec::new()));
        let received = Arc::clone(&texts);
        let store = HookedStore::new(Arc::new(MemoryStore::new()), move |call, _| {
            if let StoreCall::Put { new, .. } = call {
                let mut received = received.lock().expect("no test panics here");
                received.extend(new.iter().map(|content| content.text().clone()));
            }
            Ok(())
        });
        Self { host: Host::with_store(Arc::new(store), SessionPolicy::default()), texts }
    }

    /// Returns the content of a skill that is loaded in a new session.
    fn content(&self, skill: &ActiveSkill) -> Arc<str> {
        let skills = [Arc::new(skill.clone())];
        self.host.open().load(&skills, LoadMode::Add).expect("there is room");
        self.texts.lock().expect("no test panics here").pop().expect("the skill is stored")
    }

    /// Returns whether a skill is encoded again.
    fn is_encoded_again(&self, skill: &ActiveSkill, before: &Arc<str>) -> bool {
        !Arc::ptr_eq(&self.content(skill), before)
    }
}

fn with_body(id: &str, body: String) -> ActiveSkill {
    let digest = Digest::of(body.as_bytes());
    ActiveSkill { digest, body: body.into(), ..(*edition(id, 1)).clone() }
}

/// Returns a skill whose content has this size.
fn of_size(bytes: usize, id: &str) -> ActiveSkill {
    let without_body = Recorded::new().content(&with_body(id, String::new())).len();
    with_body(id, id.repeat(bytes - without_body))
}

#[test]
fn skill_is_encoded_once_whatever_its_times() {
    let store = Recorded::new();
    let skill = (*edition("a", 1)).clone();
    let content = store.content(&skill);
    let later = ActiveSkill { loaded_at: Timestamp(9), activated_at: Timestamp(9), ..skill };
    assert!(!store.is_encoded_again(&later, &content));
}

#[test]
fn copies_of_one_file_have_their_own_contents() {
    let store = Recorded::new();
    let one = (*edition("a", 1)).clone();
    let changes: [fn(&mut ActiveSkill); 10] = [
        |skill| skill.id.push('2'),
        |skill| skill.name.push('2'),
        |skill| skill.location.push('2'),
        |skill| skill.root_dir.push('2'),
        |skill| skill.layer.push('2'),
        |skill| skill.version = Some("2".to_owned()),
        |skill| skill.digest = Digest::of(b"2"),
        |skill| skill.properties["license"] = "MIT".into(),
        |skill| skill.allowed_tools = AllowedTools::Empty,
        |skill| skill.body = "Something else.".into(),
    ];
    for change in changes {
        let mut other = one.clone();
        change(&mut other);
        for skill in [&one, &other] {
            let stored: ActiveSkill = serde_json::from_str(&store.content(skill)).expect("JSON");
            assert_eq!(stored, *skill, "a content is that of its own skill");
        }
    }
}

#[test]
fn remembered_contents_are_limited() {
    let store = Recorded::new();
    let [a, b] = ["a", "b"].map(|id| of_size(LIMIT / 2, id));
    let [first, second] = [&a, &b].map(|skill| store.content(skill));
    assert!(!store.is_encoded_again(&a, &first), "the limit itself is allowed");
    let larger = of_size(LIMIT + 1, "c");
    let content = store.content(&larger);
    assert!(store.is_encoded_again(&larger, &content), "more than the limit is not remembered");
    assert!(!store.is_encoded_again(&b, &second), "and replaces nothing");
    let whole = of_size(LIMIT, "d");
    let content = store.content(&whole);
    assert!(!store.is_encoded_again(&whole, &content), "a content may have the whole limit");
    assert!(store.is_encoded_again(&a, &first), "the others are forgotten");
}

#[test]
fn copy_replaces_the_content_of_its_file() {
    let store = Recorded::new();
    let half = of_size(LIMIT / 2, "a");
    let first = store.content(&half);
    let copy = ActiveSkill { id: "2".to_owned(), ..half.clone() };
    let content = store.content(&copy);
    let other = of_size(LIMIT / 2, "b");
    store.content(&other);
    assert!(!store.is_encoded_again(&copy, &content), "only the copy counts for the limit");
    assert!(store.is_encoded_again(&half, &first), "the copy took its place");
}

#[test]
fn text_of_another_key_is_refused() {
    let store = Arc::new(FaultyStore::new(Some("sorts-contents")));
    let session = Host::with_store(store.clone(), SessionPolicy::default()).open();
    load(&session, LoadMode::Add, "b a").expect("there is room");
    let other = Host::with_store(store, SessionPolicy::default());
    let error = other.sessions.resume(session.id()).expect_err("the texts are exchanged");
    assert_eq!(error.code(), "session-store-failed");
}
