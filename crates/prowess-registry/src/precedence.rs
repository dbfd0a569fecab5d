//! Which of several skills with one id is used.

use std::cmp::Reverse;

use prowess_core::{
    Catalog, CatalogBuilder, CatalogSource, Diagnostic, Layer, Record, RecordIndex, Severity,
    State, Trust,
};

use crate::codes;

/// The catalog of these sources: each id goes to the record that [`comes_first`], and the others are
/// kept as shadowed, each with a warning. What is withheld takes no part in that.
pub(crate) fn settle(
    layers: Vec<Layer>,
    sources: Vec<CatalogSource>,
    withheld: &[Option<&str>],
    problems: Vec<Diagnostic>,
    generation: u64,
) -> Catalog {
    let counts: Vec<_> = sources.iter().map(|source| source.records.len()).collect();
    let mut builder = CatalogBuilder::new(layers, sources);
    let mut losers = Vec::new();
    for (source, count) in counts.into_iter().enumerate() {
        for at in (0..count).map(|entry| RecordIndex::new(source, entry)) {
            if let Some(reason) = withheld[source] {
                builder.put_aside(at, State::Hidden(reason));
                continue;
            }
            let Err(holder) = builder.show(at) else {
                continue;
            };
            if comes_first(builder.record(at), builder.record(holder)) {
                builder.supersede(holder, at);
                losers.push(holder);
            } else {
                losers.push(at);
            }
        }
    }
    put_aside(&mut builder, losers);
    for problem in problems {
        builder.diagnose(problem);
    }
    builder.finish(generation)
}

/// Whether `one` is used rather than `other`: a trusted layer before an untrusted one whatever their
/// order, then the higher layer, then the higher priority, then the order of sources and of paths.
/// A total order, so the outcome does not depend on the order in which a disk lists directories.
fn comes_first(one: Record<'_>, other: Record<'_>) -> bool {
    let is_untrusted = |record: Record<'_>| record.trust() == Trust::Untrusted;
    let rank = |record: Record<'_>| {
        let layer = (is_untrusted(record), record.rank());
        (
            layer,
            Reverse(record.priority().clamp(-999, 999)),
            record.index().source(),
            record.package(),
        )
    };
    rank(one) < rank(other)
}

/// Sorted, as a reload lists what it has read again before what it has kept.
fn put_aside(builder: &mut CatalogBuilder, mut losers: Vec<RecordIndex>) {
    losers.sort_by_cached_key(|&loser| {
        let record = builder.record(loser);
        (record.id().to_owned(), loser.source(), record.package())
    });
    for loser in losers {
        let record = builder.record(loser);
        let Some(winner) = builder.holder(record.id()).map(|at| builder.record(at)) else {
            continue;
        };
        let reason =
            format!("`{}` of layer `{}` is used instead", winner.location(), winner.layer().name);
        let warning = Diagnostic::new(
            codes::SKILL_SHADOWED,
            Severity::Warning,
            format!("skill `{}` is shadowed: {reason}", record.id()),
            "rename or remove one of the two, or move the one that you want to a higher layer",
        );
        let warning = warning.in_file(record.location());
        builder.put_aside(loser, State::Shadowed(&reason));
        builder.diagnose(warning);
    }
}
