use std::sync::Arc;

use prowess_testkit::{Published, RemoteFixture, check_remote};

use super::*;

struct Fixture;

impl RemoteFixture for Fixture {
    fn publish(&self, skill_md: &str) -> Published {
        let shelves = Arc::new(Shelves(Mutex::default()));
        let replaced = Arc::clone(&shelves);
        let replace = move |text: &str| {
            replaced.0.lock().unwrap().insert("top".to_owned(), text.to_owned());
        };
        replace(skill_md);
        Published {
            remote: shelves,
            source: "top".to_owned(),
            missing: "bottom".to_owned(),
            secret: None,
            replace: Box::new(replace),
        }
    }
}

#[test]
fn remote_passes_its_kit() {
    let report = check_remote(&Fixture);
    assert!(report.is_passed(), "{report}");
}
