//! The page that a run of the benchmarks writes.

use std::process::Command;

pub(crate) const PATH: &str = "benches/README.md";

/// The start of the last line of a page, before the checksum of everything above it.
const SUM: &str = "<!-- sum of the page: ";

/// The head of the part about whole programs.
pub(super) const COMMANDS: &str = "\n## Commands\n\n\
    Whole programs on packages with files, 3.5 files and 0.95 directories each, as \
    `cargo xtask bench --commands` prints them. **measured** is the median CPU time of a fresh process with warm \
    files, from its start to its end or to the answer that is named; **reference** is that of a program that lists \
    each directory of the same tree once and reads 4 KiB of each `SKILL.md`. Without skills, the time has a limit of \
    its own.\n\n\
    ![CPU time of commands for each skill, by the number of skills](growth.svg)\n\n\
    | what | skills | measured | reference | ratio | target | met |\n|---|--:|--:|--:|--:|--:|--:|\n";

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
    let page = format!(
        "# Benchmarks\n\nWritten by `cargo xtask bench`. Do not edit: the next run overwrites it.\n\n\
         {date}, {model}, {threads} threads, Linux {kernel}, load {load}.\n\n\
         **measured** is the least CPU time of all rounds with warm caches, unless a row names another measure. \
         **reference** is what the row is compared with, measured in the same rounds, and **ratio** is the \
         quotient of the two. Without another reference in its name, a row is compared with its lower limit, \
         the system calls that the same work needs without prowess: for discovery, list the root, and open, \
         read 4 KiB of and close each `SKILL.md`; for a reload, stat each file; for one skill, open, stat, \
         read and close it. A plugin is compared with the same code linked into the host. Rows of `watch`, of \
         reads of shared catalogs and of child processes are wall-clock times, which other load of the machine makes longer. `cargo xtask bench --count` prints counts that no load changes.\n\n\
         | what | skills | measured | reference | ratio | target | met |\n|---|--:|--:|--:|--:|--:|--:|\n{rows}\n",
        kernel = kernel.trim()
    );
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
