//! The input of a resolution: the rules, the scans, and for whom.

use std::sync::Arc;

use prowess_core::{Audience, CatalogSource, Diagnostic, Facts, Layer};

use crate::copies::{Copies, Verdicts};
use crate::policy::RegistryPolicy;
use crate::visibility::{VisibilityFilter, VisibilityPolicy};

/// All that a catalog is settled from.
pub(crate) struct ResolveInput<'a> {
    pub(crate) rules: &'a Rules,
    pub(crate) scans: &'a Scans,
    pub(crate) filter: VisibilityFilter<'a>,
    pub(crate) copies: (&'a Copies, &'a Verdicts),
}

/// What a catalog is settled by that no scan changes.
#[derive(Default)]
pub(crate) struct Rules {
    /// The highest first, each with its weight.
    pub(crate) layers: Vec<Layer>,
    pub(crate) policy: RegistryPolicy,
    pub(crate) visibility: VisibilityPolicy,
    pub(crate) aliases: Arc<[(Box<str>, Box<str>)]>,
    /// The host's name for the one package of a source, by the source's number.
    pub(crate) names: Vec<Option<Box<str>>>,
    pub(crate) facts: Option<Arc<dyn Facts>>,
    /// For whom the catalog is that every reader gets.
    pub(crate) audience: Audience,
}

/// What the scans gave.
pub(crate) struct Scans {
    pub(crate) sources: Vec<CatalogSource>,
    /// Why none of a source's skills is offered, by the source's number.
    pub(crate) withheld: Vec<Option<Box<str>>>,
    pub(crate) findings: Vec<Diagnostic>,
    pub(crate) generation: u64,
}

impl Scans {
    /// Whether there is an error of a source or of anything in it.
    pub(crate) fn has_error(&self, source: usize) -> bool {
        let CatalogSource { source, records, .. } = &self.sources[source];
        let of_source =
            self.findings.iter().filter(|found| found.path.as_deref() == Some(source.root()));
        of_source.chain(records.diagnostics()).any(Diagnostic::is_error)
    }
}
