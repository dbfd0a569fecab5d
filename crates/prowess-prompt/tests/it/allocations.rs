//! Allocations while prompts are composed. They are counted in a process that runs one test, since
//! the count is that of the process.

use std::process::Command;
use std::sync::Arc;

use prowess_core::{Boundary, DeliveryPolicy, EstimatedTokens};
use prowess_prompt::{Composer, ComposerInput, PromptPolicy};
use stats_alloc::Region;

use crate::ALLOCATOR;
use crate::fixture::{SECRET, catalog, composer_input, skill};

/// Set in the process that counts.
const COUNTS: &str = "PROWESS_TEST_COUNTS_ALLOCATIONS";

/// Returns the number of allocations of `work`.
fn allocations<T>(work: impl FnOnce() -> T) -> usize {
    let region = Region::new(ALLOCATOR);
    let result = work();
    let change = region.change();
    drop(result);
    change.allocations + change.reallocations
}

/// Allocations for a catalog of `count` skills: of its first prompt, of the same prompt again, and
/// of the prompt after one skill was added.
#[derive(Debug, PartialEq, Eq)]
struct Counts {
    first: usize,
    unchanged: usize,
    after_an_edit: usize,
}

fn counts(count: usize) -> Counts {
    let policy = PromptPolicy { max_tokens: None, ..PromptPolicy::default() };
    let composer = Composer::new(policy, DeliveryPolicy::default(), Arc::new(EstimatedTokens));
    let boundary = &Boundary::new(SECRET);
    // A description that needs no cleaning, as nearly all.
    let description = "Works on one kind of task. ".repeat(8);
    let one = |number| skill(&format!("skill-{number:05}"), description.trim_end());
    let mut skills: Vec<_> = (0..count).map(one).collect();
    let before = Arc::new(catalog(&skills));
    skills.push(skill("zip", "Packs files."));
    let after = Arc::new(catalog(&skills));
    let first = allocations(|| composer.compose(&composer_input(&before, boundary)));
    let unchanged = allocations(|| composer.compose(&composer_input(&before, boundary)));
    let baseline = composer.baseline(&composer_input(&before, boundary));
    let after_an_edit = allocations(|| {
        let input = composer_input(&after, boundary);
        let prompt = composer.compose(&ComposerInput { baseline: baseline.as_ref(), ..input });
        assert!(prompt.notice.is_some(), "the edit is reported");
        prompt
    });
    Counts { first, unchanged, after_an_edit }
}

#[test]
fn unchanged_entry_allocates_nothing() {
    if std::env::var_os(COUNTS).is_none() {
        let program = std::env::current_exe().expect("a test has a program");
        let name = "allocations::unchanged_entry_allocates_nothing";
        let mut child = Command::new(program);
        let child = child.args([name, "--exact", "--test-threads=1"]).env(COUNTS, "1").output();
        let child = child.expect("it starts");
        let output = String::from_utf8_lossy(&child.stdout);
        assert!(child.status.success() && output.contains("1 passed"), "{output}");
        return;
    }
    // What is built once for a process does not count.
    counts(10);
    let few = counts(100);
    let many = counts(1_000);
    assert_eq!(few.unchanged, 0, "an unchanged catalog is the same prompt");
    assert_eq!(many.unchanged, 0);
    for (few, many) in [(few.first, many.first), (few.after_an_edit, many.after_an_edit)] {
        // Vectors grow in a few steps, and none of them belongs to an entry.
        assert!(many <= few + 16, "900 more entries make {few} allocations {many}");
        assert!(few < 80, "{few} allocations");
    }
}
