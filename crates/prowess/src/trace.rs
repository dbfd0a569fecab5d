//! The span of a turn. Its name and fields are in [`crate::guide::traces`].

use prowess_core::{Catalog, SessionId};
use tracing::field::Empty;
use tracing::{Span, info_span};

/// A turn, from its start until it is dropped.
pub(crate) fn turn(session: &SessionId) -> Span {
    info_span!(target: "prowess", "turn", session = &*session.log_name(), generation = Empty, skills = Empty)
}

/// Records the catalog that a turn pins on its span.
pub(crate) fn record_catalog(span: &Span, catalog: &Catalog) {
    span.record("generation", catalog.generation());
    span.record("skills", catalog.len());
}
