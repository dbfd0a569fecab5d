//! Tables of cases in files.

/// Returns the rows under a title, in a file whose titles begin with `## `; those before the first
/// title have an empty one. A row is a line whose parts are separated by ` ¦ `, in which `⏎`, `␍`,
/// `⇥` and `⌫` stand for a line feed, a carriage return, a tab and a byte order mark. Lines that
/// are empty are none.
///
/// # Panics
///
/// There is no such row, or one has another number of parts.
pub fn rows<const N: usize>(table: &str, title: &str) -> impl Iterator<Item = [String; N]> {
    let section = match title {
        "" => table.split("\n## ").next(),
        _ => table.split("\n## ").find_map(|it| it.strip_prefix(title)?.strip_prefix('\n')),
    };
    let lines = section.into_iter().flat_map(str::lines);
    let rows: Vec<_> = lines.filter(|line| !line.is_empty()).map(row).collect();
    assert!(!rows.is_empty(), "there are rows under {title:?}");
    rows.into_iter()
}

fn row<const N: usize>(line: &str) -> [String; N] {
    let part = |part: &str| {
        let part = part.strip_prefix(' ').unwrap_or(part);
        let part = part.strip_suffix(' ').unwrap_or(part);
        let text = part.replace('⏎', "\n").replace('␍', "\r").replace('⇥', "\t");
        text.replace('⌫', "\u{feff}")
    };
    let parts: Vec<_> = line.split('¦').map(part).collect();
    parts.try_into().unwrap_or_else(|_| panic!("{N} parts: {line}"))
}
