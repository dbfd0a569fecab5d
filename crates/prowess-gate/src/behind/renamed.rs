//! Programs that get another name within the line.

use super::wrapper::has;
use super::{Run, Runs, base};

/// Programs that may give a program another name, and the most words of theirs that are compared.
const RENAMING: &str = "ln link mv rsync install ginstall cp gcp scp dd ditto cpio";
const MAX_RENAMED: usize = 16;

/// Adds a program under its other names: `ln -s /bin/rm x && x y` runs `/bin/rm y`.
pub(super) fn follow(runs: &mut Runs, run: &Run) {
    let is_place = |word: &&String| !word.starts_with('-');
    let mut renamed = Vec::new();
    if run.names.iter().any(|name| has(RENAMING, name)) && run.words.len() <= MAX_RENAMED {
        let places = run.words[1..].iter().filter(is_place).filter_map(|it| it.rsplit('=').next());
        let places: Vec<_> = places.collect();
        // `dd of=x if=/bin/rm`
        let is_any = run.names.iter().any(|name| name == "dd");
        for (at, target) in places.iter().enumerate() {
            let sources = if is_any { &places[..] } else { &places[..at] };
            let others = sources.iter().filter(|source| base(source) != base(target));
            renamed.extend(others.map(|source| (base(target).to_owned(), (*source).to_owned())));
        }
    }
    let earlier = runs.commands.iter().map(|run| (run, &renamed));
    let all = earlier.chain([(run, &runs.renamed)]);
    let same = all.flat_map(|(run, renamed)| {
        let is_it =
            |(name, _): &&(String, String)| run.words.first().is_some_and(|it| base(it) == name);
        renamed.iter().filter(is_it).map(|(_, program)| {
            run.with(&[std::slice::from_ref(program), &run.words[1..]].concat())
        })
    });
    runs.queue.extend(same.collect::<Vec<_>>());
    runs.renamed.extend(renamed);
}
