//! The page that a run of the benchmarks writes.

use std::process::Command;

pub(crate) const PATH: &str = "benches/README.md";

/// The start of the last line of a page, before the checksum of everything above it.
const SUM: &str = "<!-- sum of the page: ";

/// The head of the part about whole programs.
pub(super) const COMMANDS: &str = include_str!("commands.md");

/// Returns the page of a run: the machine and the rows.
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
    let kernel = kernel.trim();
    let page = format!(include_str!("head.md"), date, model, threads, kernel, load, rows);
    let sum = sum(&page);
    page + &format!("{SUM}{sum:016x} -->\n")
}

/// Returns whether a page is as the command wrote it.
pub(crate) fn is_as_written(page: &str) -> bool {
    let last = page.trim_end().rfind('\n').map_or(0, |at| at + 1);
    let (before, line) = page.split_at(last);
    let expected =
        line.strip_prefix(SUM).and_then(|rest| u64::from_str_radix(rest.get(..16)?, 16).ok());
    expected == Some(sum(before))
}

/// Returns the FNV-1a checksum of a text, which finds edits by mistake and not forgeries.
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
        assert!(!is_as_written("# Benchmarks\n"), "a page without a sum");
    }
}
