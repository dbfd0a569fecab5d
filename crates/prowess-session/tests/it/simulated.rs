//! A short run of the simulation of failing stores; `cargo xtask soak` runs a long one.

use crate::simulation::simulate;

#[test]
fn failing_stores_lose_no_update() {
    for seed in 0..4 {
        let summary = simulate(seed, 2_000);
        assert!(summary.changes > 100, "hosts get through: {summary:?}");
        assert!(summary.steps >= 2_000, "the run is complete: {summary:?}");
        assert!(summary.uncertain > 10, "stores fail: {summary:?}");
        assert!(summary.stale > 10, "reads are out of date: {summary:?}");
    }
}
