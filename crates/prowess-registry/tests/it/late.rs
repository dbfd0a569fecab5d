//! Sources that do not answer before the host needs a catalog.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};

use prowess_core::{Cancel, CatalogProvider, Layer, Trust};
use prowess_registry::Registry;
use prowess_testkit::before_scan;

use crate::fixture::{memory, user};

/// A registry with two blocked sources in front of one that answers: those of the highest layer are
/// scanned first. What ends the wait for them is that both were asked.
fn start() -> (Arc<Registry>, [Sender<()>; 2]) {
    let asked: [Arc<AtomicBool>; 2] = Default::default();
    let [first, second] = [channel(), channel()];
    let answers = [first.0, second.0];
    let mut builder = Registry::builder().layer(Layer::new("user", Trust::Trusted));
    for (at, answer) in [first.1, second.1].into_iter().enumerate() {
        let name = ["slow", "stuck"][at];
        let is_asked = Arc::clone(&asked[at]);
        let answer = Mutex::new(Some(answer));
        // The first scan waits for the other end of a channel, and may break down then.
        let blocked = before_scan(memory(name, &[(name, "Comes late.")]), move |_| {
            is_asked.store(true, Ordering::SeqCst);
            let answer = answer.lock().expect("no test panics").take();
            answer.into_iter().for_each(|it| it.recv().expect("the source breaks down"));
        });
        builder = builder.layer(Layer::new(name, Trust::Trusted)).source(name, blocked);
    }
    let registry = builder.source("user", memory("user", &[("fast", "Answers.")])).build();
    let registry = Arc::new(registry.expect("the layers are valid"));
    let are_asked = move || asked.iter().all(|it| it.load(Ordering::SeqCst));
    registry.start_until(&Cancel::with_poll(are_asked));
    (registry, answers)
}

/// Waits for the notice of a change after which a skill is offered.
fn wait_for(registry: &Registry, id: &str) {
    let changes = registry.subscribe();
    while registry.catalog().get(id).is_none() {
        changes.recv().expect("the registry lives");
    }
}

fn late(registry: &Registry) -> usize {
    let catalog = registry.catalog();
    catalog.diagnostics().filter(|found| found.code.as_str() == "source-late").count()
}

#[test]
fn blocked_source_delays_no_other() {
    let (registry, [slow, stuck]) = start();
    wait_for(&registry, "fast");
    assert_eq!(late(&registry), 2, "each has a finding");
    registry.reload();
    assert_eq!(late(&registry), 2, "no reload waits for it");
    slow.send(()).expect("it waits");
    wait_for(&registry, "slow");
    assert_eq!(late(&registry), 1, "the other one still blocks");
    stuck.send(()).expect("it waits");
    wait_for(&registry, "stuck");
    let catalog = registry.reload().catalog;
    assert_eq!((catalog.len(), catalog.diagnostics().count()), (3, 0), "it is as any other");
}

#[test]
fn source_that_breaks_down_late_is_scanned_again() {
    let (registry, [slow, stuck]) = start();
    let changes = registry.subscribe();
    drop(stuck);
    while late(&registry) > 1 {
        changes.recv().expect("the registry lives");
    }
    let has_failed = |it: &Registry| {
        it.catalog().diagnostics().any(|found| found.code.as_str() == "source-failed")
    };
    assert!(has_failed(&registry));
    registry.reload();
    assert!(!has_failed(&registry) && registry.catalog().get("stuck").is_some());
    drop((registry, slow));
}

/// Starts a registry with a source that waits for the end of the test and one that answers.
fn starts_without_the_slow_one(until: &Cancel) {
    let (asked, answers) = channel::<()>();
    let answers = Mutex::new(answers);
    let blocked = before_scan(memory("slow", &[("slow", "Comes late.")]), move |_| {
        // The first scan waits for the end of the test; later ones find it ended.
        let _ = answers.lock().expect("no test panics").recv();
    });
    let [user, slow] = ["user", "slow"].map(|name| Layer::new(name, Trust::Trusted));
    let builder = Registry::builder().layer(user).layer(slow).source("slow", blocked);
    let registry = builder.source("user", memory("user", &[("fast", "Answers.")])).build();
    let registry = Arc::new(registry.expect("the layers are valid"));
    registry.start_until(until);
    assert_eq!((registry.catalog().len(), late(&registry)), (1, 1), "one answered, one did not");
    drop(asked);
    wait_for(&registry, "slow");
}

/// Each look at the end of the wait is one turn of the loop that starts threads. The second thread
/// finds no source left while the first one is blocked.
#[test]
fn thread_that_finds_no_source_is_not_counted() {
    let looks = AtomicUsize::new(0);
    let five = Cancel::with_poll(move || looks.fetch_add(1, Ordering::SeqCst) == 5);
    starts_without_the_slow_one(&five);
}

/// Nothing ends the wait but that the scan does not even ask whether it is cancelled.
#[test]
fn source_without_a_sign_of_life_is_late() {
    starts_without_the_slow_one(&Cancel::default());
}

/// The time of the host is over when the source begins.
#[test]
fn source_that_goes_on_is_waited_for() {
    let is_over = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&is_over);
    let large = before_scan(memory("large", &[("large", "Goes on.")]), move |cancel| {
        let mut steps = 0;
        while steps < 100 {
            steps += usize::from(!cancel.is_cancelled() && seen.load(Ordering::SeqCst));
            std::thread::yield_now();
        }
    });
    let registry = Arc::new(user(large).build().expect("the layer is valid"));
    registry.start_until(&Cancel::with_poll(move || !is_over.fetch_or(true, Ordering::SeqCst)));
    assert_eq!((registry.catalog().len(), late(&registry)), (1, 0));
}
