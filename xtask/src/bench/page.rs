//! The page that a run of the benchmarks leaves behind.

use std::process::Command;

/// Where the page lies.
pub(crate) const PATH: &str = "benches/README.md";

/// What the last line of a page begins with; the sum of all before it follows.
const SUM: &str = "<!-- sum of the page: ";

/// The page of a run: what it was run on, and its rows.
pub(super) fn written(rows: &str) -> String {
    let date = Command::new("date").arg("+%F").output().map(|date| date.stdout).unwrap_or_default();
    let date = String::from_utf8_lossy(&date).trim().to_owned();
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let cpu = read("/proc/cpuinfo");
    let model = cpu.lines().find_map(|line| line.strip_prefix("model name"));
    let model = model.map_or("a processor", |model| model.trim_start_matches(['\t', ' ', ':']));
    let kernel = read("/proc/sys/kernel/osrelease");
    let load = read("/proc/loadavg");
    let load = load.split(' ').next().unwrap_or("?");
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let page = format!(
        "# What was measured\n\nWritten by `cargo xtask bench`, never by hand; the next run writes it anew.\n\n\
         {date}, {model}, {threads} threads, Linux {kernel}, load {load}. CPU time unless a row says otherwise, the \
         least of the rounds, warm; each work takes turns with what it stands beside. That is the floor, what \
         the kernel charges for the same work without ours: a scan's is to list the root, open each \
         `SKILL.md`, read 4 KiB and close; a reload's to ask for the state of each file; that of one skill's \
         text to open, ask, read and close. Times of `watch` and of readers are by the clock on the wall, which a \
         busy machine stretches. A plugin stands beside the same source linked. What no load moves: `cargo xtask bench --count`.\n\n\
         | what | skills | measured | beside | ratio | asked | met |\n|---|--:|--:|--:|--:|--:|--:|\n{rows}\n",
        kernel = kernel.trim()
    );
    let sum = sum(&page);
    page + &format!("{SUM}{sum:016x} -->\n")
}

/// Whether a page is as the command wrote it.
pub(crate) fn is_as_written(page: &str) -> bool {
    let last = page.trim_end().rfind('\n').map_or(0, |at| at + 1);
    let (before, line) = page.split_at(last);
    let told =
        line.strip_prefix(SUM).and_then(|rest| u64::from_str_radix(rest.get(..16)?, 16).ok());
    told == Some(sum(before))
}

/// Sixty-four bits of FNV-1a: against a slip of the hand, not against a forger.
fn sum(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |sum, byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_was_edited_by_hand_is_not_as_written() {
        let page = written("| discovery | 1000 | 6.1ms | 5.0ms | 1.22 | ≤ 1.3 | yes |\n");
        assert!(is_as_written(&page), "{page}");
        assert!(!is_as_written(&page.replace("1.22", "1.02")), "a better number");
        assert!(!is_as_written("# What was measured\n"), "a page without a sum");
    }
}
