//! Checks of the rule about watches.

use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use prowess_core::{ChangeListener, SourceChange};

use crate::source_fixture::{SourceFixture, broken};

const WATCH: &str = "A watch reports each change that `scan` would find, possibly late and possibly \
     more than once. After the [`Watch`] is dropped, the listener is not called";

pub(crate) fn a_watch_reports_changes(fixture: &dyn SourceFixture, files: &[(&str, &[u8])]) {
    let Some(changing) = fixture.changing(files) else {
        return;
    };
    let patience = fixture.patience();
    let (sender, changes) = channel();
    let listener: ChangeListener = Arc::new(move |change| drop(sender.send(change)));
    let held = Arc::downgrade(&listener);
    let watch = changing.source.watch(listener).expect(WATCH);
    let watch = watch.unwrap_or_else(|| panic!("{}", broken(WATCH, "there is no watch")));
    for (file, package) in [("alpha/SKILL.md", "alpha"), ("added/SKILL.md", "added")] {
        (changing.write)(file, b"another text");
        let is_reported = receives(package, &changes, patience);
        assert!(is_reported, "{}", broken(WATCH, "a change is not reported"));
    }
    drop(watch);
    let is_let_go = is_let_go(&held, patience);
    assert!(is_let_go, "{}", broken(WATCH, "the listener is kept after the watch"));
}

/// Returns whether a change that covers `package` is reported in time.
fn receives(package: &str, changes: &Receiver<SourceChange>, patience: Duration) -> bool {
    let end = Instant::now() + patience;
    loop {
        match changes.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok(SourceChange::Packages(packages)) => {
                if packages.iter().any(|changed| changed.as_str() == package) {
                    return true;
                }
            }
            Ok(_) => return true,
            Err(_) => return false,
        }
    }
}

/// Returns whether the listener is released in time. A released listener cannot be called.
fn is_let_go<T: ?Sized>(held: &Weak<T>, patience: Duration) -> bool {
    let end = Instant::now() + patience;
    while held.strong_count() > 0 && Instant::now() < end {
        std::thread::yield_now();
    }
    held.strong_count() == 0
}
