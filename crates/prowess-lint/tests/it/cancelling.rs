//! Progress and cancellation of a check.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};

use prowess_core::{Cancel, SourceErrorKind};
use prowess_lint::{LintOptions, NoProgress, Progress, check_tree};

use crate::fixture::{BODY, described, memory};

/// Counts, and asks for the end after some packages, or never.
#[derive(Default)]
struct Counter {
    total: AtomicUsize,
    checked: AtomicUsize,
    cancel: Cancel,
    most: usize,
}

impl Progress for Counter {
    fn started(&self, packages: usize) {
        self.total.store(packages, Ordering::Relaxed);
    }

    fn checked(&self) {
        if self.checked.fetch_add(1, Ordering::Relaxed) + 1 == self.most {
            self.cancel.cancel();
        }
    }
}

fn source(count: usize) -> prowess_core::MemorySource {
    let file = |number| {
        let name = format!("skill-{number}");
        let description = format!("Fills PDF forms of kind {number}. Use when one arrives.");
        (format!("{name}/SKILL.md"), described(&name, &description, BODY))
    };
    memory(&(0..count).map(file).collect::<Vec<_>>())
}

fn options(threads: usize) -> LintOptions<'static> {
    let threads = NonZeroUsize::new(threads).expect("a test names some");
    LintOptions { threads, ..LintOptions::default() }
}

#[test]
fn each_package_is_reported_once() {
    let counter = Counter::default();
    check_tree(&source(50), &options(4), &counter, &counter.cancel).expect("it is in memory");
    assert_eq!(counter.total.into_inner(), 50);
    assert_eq!(counter.checked.into_inner(), 50);
}

#[test]
fn a_cancelled_check_ends_soon() {
    let counter = Counter { most: 3, ..Counter::default() };
    let error = check_tree(&source(100), &options(2), &counter, &counter.cancel)
        .expect_err("it was cancelled");
    assert_eq!(error.kind, SourceErrorKind::Cancelled);
    let checked = counter.checked.into_inner();
    assert!(checked < 100, "{checked} packages were checked after all");
}

#[test]
fn any_number_of_threads_says_the_same() {
    let source = source(30);
    let check = |threads| {
        check_tree(&source, &options(threads), &NoProgress, &Cancel::default())
            .expect("it is in memory")
    };
    let one = check(1);
    assert!(!one.alike.is_empty(), "the fixture's descriptions are alike");
    for threads in [2, 7, 64] {
        assert_eq!(check(threads), one, "{threads} threads");
    }
}
