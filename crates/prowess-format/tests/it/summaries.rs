//! What a catalog keeps, from the first bytes of a file.

use prowess_format::{Head, MAX_FRONTMATTER_BYTES, Profile, Rules, Summarized, parse, summarize};
use std::borrow::Cow;

use crate::support::{rows, skill, summarized, summary, summary_of};

fn head(bytes: &[u8], is_whole_file: bool) -> Summarized<'_> {
    let head = Head { bytes, is_whole_file };
    summarize(head, None, Profile::Lenient)
}

fn done(bytes: &[u8]) -> prowess_format::Summary<'_> {
    match head(bytes, true) {
        Summarized::Done(Some(summary), _) => summary,
        other => panic!("a summary, not {other:?}"),
    }
}

#[test]
fn plain_texts_are_borrowed() {
    let file = skill("name: pdf\ndescription: Fills forms.  \nmetadata:\n  author: me\n");
    let summary = done(&file);
    assert!(matches!(summary.name, Cow::Borrowed("pdf")));
    assert!(matches!(summary.description, Cow::Borrowed("Fills forms.")));
    let block = skill("name: pdf\ndescription: >\n  Fills forms.\n");
    assert!(matches!(done(&block).description, Cow::Borrowed("Fills forms.")));
}

#[test]
fn tags_and_priority() {
    for (yaml, tags, priority) in
        rows::<(String, Vec<String>, i16)>(include_str!("../data/tags.json"))
    {
        let file = skill(&format!("name: pdf\ndescription: x\n{yaml}"));
        let summary = done(&file);
        assert_eq!(summary.tags, tags, "{yaml}");
        assert_eq!(summary.priority, priority, "{yaml}");
    }
}

#[test]
fn the_version_is_kept_as_it_was_written() {
    for (yaml, version) in rows::<(String, Option<String>)>(include_str!("../data/versions.json")) {
        let version = version.as_deref();
        let file = skill(&format!("name: pdf\ndescription: x\n{yaml}"));
        assert_eq!(done(&file).version.as_deref(), version, "of the head: {yaml}");
        let document = parse(&file, Profile::Lenient).document.expect("a usable skill");
        assert_eq!(document.frontmatter.version().as_deref(), version, "of the file: {yaml}");
    }
}

#[test]
fn the_directory_is_compared() {
    let file = skill("name: pdf\ndescription: x\n");
    let named = |name: &'static str, profile| {
        let (summary, found) = summarized(&file, Some(name.into()), &Rules::of(profile));
        (summary.is_some(), found)
    };
    let (is_read, found) = named("xlsx", Profile::Lenient);
    assert!(is_read, "another directory is a warning");
    assert_eq!(
        found[0].to_string(),
        "2:7: warning[name-directory-mismatch]: the name `pdf` differs from the directory's name `xlsx`"
    );
    assert!(!named("xlsx", Profile::Spec).0, "an error under spec");
    assert_eq!(named("pdf", Profile::Spec), (true, Vec::new()), "the same name is fine");
}

#[test]
fn the_body_is_not_looked_at() {
    let mut file = skill("name: pdf\ndescription: x\n");
    file.extend(b"\0\xff");
    assert_eq!(done(&file).name, "pdf");
}

/// Asks as a source does: a few bytes first, then what is asked for. Gives the reads and the end.
fn read_like_a_source(file: &[u8]) -> (Vec<usize>, Summarized<'_>) {
    let mut reads = vec![16];
    loop {
        let length = (*reads.last().expect("one read")).min(file.len());
        match head(&file[..length], length == file.len()) {
            Summarized::NeedsBytes(more) => {
                assert!(more > length, "each read asks for more");
                reads.push(more);
            }
            done => return (reads, done),
        }
    }
}

#[test]
fn a_long_frontmatter_costs_few_reads() {
    let file = skill(&format!("name: pdf\ndescription: x\n{}", "# filler\n".repeat(7000)));
    let (reads, end) = read_like_a_source(&file);
    assert!(reads.len() <= 5, "{reads:?}");
    assert!(matches!(end, Summarized::Done(Some(_), _)));
}

/// Also where the closing line is around the limit.
#[test]
fn every_cut_asks_for_more_or_gives_the_same() {
    let fields = "name: pdf\ndescription: Fills forms.\n";
    let most = MAX_FRONTMATTER_BYTES - fields.len();
    let ends =
        ["---\nBody", "--- \t\nBody", "---", "---x\n---\nBody", "...\nBody", "... x\n---\n", "-"];
    let marked = ["", "\u{feff}"].into_iter().flat_map(|mark| ends.map(|end| (mark, end)));
    for (size, (mark, end)) in [0, most - 1, most, most + 1]
        .into_iter()
        .flat_map(|size| marked.clone().map(move |it| (size, it)))
    {
        let filler = "#".repeat(size.saturating_sub(1)) + if size > 0 { "\n" } else { "" };
        let file = format!("{mark}---\n{fields}{filler}{end}");
        let bound = mark.len() + 4 + MAX_FRONTMATTER_BYTES;
        let whole = summary(file.as_bytes(), Profile::Spec);
        let is_large = if end == "-" { file.len() > bound } else { size > most };
        if !end.contains('x') {
            assert_eq!(whole.contains("too-large"), is_large, "{size} and {end:?}: {whole}");
        }
        for length in bound.min(file.len()).saturating_sub(80)..file.len() {
            let head = Head { bytes: &file.as_bytes()[..length], is_whole_file: false };
            match summary_of(head, Profile::Spec) {
                Err(more) => assert!(length < more && more <= bound + 64),
                Ok(read) => assert_eq!(read, whole, "{length} of {size} and {end:?}"),
            }
        }
    }
}

#[test]
fn an_endless_frontmatter_is_too_large_and_read_no_further_than_the_bound() {
    for (start, rest, code) in [
        ("---\nname: pdf\n", "text\n", "frontmatter-too-large"),
        ("---", "     ", "frontmatter-unclosed"),
    ] {
        let file = (start.to_owned() + &rest.repeat(1 << 18)).into_bytes();
        let (reads, end) = read_like_a_source(&file);
        assert!(reads.iter().all(|bytes| *bytes <= MAX_FRONTMATTER_BYTES + 128), "{reads:?}");
        let Summarized::Done(None, found) = end else {
            panic!("no summary");
        };
        assert_eq!(found[0].code.as_str(), code);
        let whole = parse(&file[..2 * MAX_FRONTMATTER_BYTES], Profile::Lenient).diagnostics;
        assert_eq!(whole[0].code.as_str(), code, "the whole file gives the same finding");
    }
}

#[test]
fn missing_frontmatter_is_found_in_the_first_bytes() {
    let Summarized::Done(None, found) = head(b"# Title\n\nText", false) else {
        panic!("a heading is no fence");
    };
    assert_eq!(found[0].code.as_str(), "frontmatter-missing");
}

#[test]
fn a_block_has_one_place_for_the_summary_and_for_the_document() {
    for (block, expected) in rows::<(String, String)>(include_str!("../data/blocks.json")) {
        for after in ["", "license: MIT\n"] {
            let file = skill(&format!("name: pdf\ndescription: {block}{after}"));
            let Summarized::Done(_, of_head) = head(&file, true) else { panic!("it is whole") };
            let of_file = parse(&file, Profile::Lenient).diagnostics;
            assert_eq!(of_head, of_file, "{block:?}");
            let span = of_file[0].span.clone().expect("it has a place");
            assert_eq!(std::str::from_utf8(&file[span]), Ok(&*expected));
        }
    }
}
