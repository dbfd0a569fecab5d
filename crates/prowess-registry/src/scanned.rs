//! The sources with their last good scans, the input of the next reload.

use std::sync::Arc;

use prowess_core::{
    AskedFolder, CatalogSource, Diagnostic, FolderTrust, HostCommands, RecordSet, SkillSource,
};

use crate::agent_skills::{AgentSource, Hidden};
use crate::folder::{self, Withheld};
use crate::policy::RegistryPolicy;

/// The state of a registry after its last reload.
pub(crate) struct Scanned {
    pub(crate) sources: Vec<Registered>,
    /// The findings about the sources themselves.
    pub(crate) findings: Vec<Diagnostic>,
    /// The findings that the host added after the first scan.
    pub(crate) added: Vec<Diagnostic>,
    /// Whether scans are not published yet: a reload is in progress, or was ended by a panic.
    pub(crate) is_unpublished: bool,
}

/// A source with its last good scan.
pub(crate) struct Registered {
    pub(crate) layer: usize,
    /// That of its layer.
    pub(crate) policy: RegistryPolicy,
    pub(crate) source: Arc<dyn SkillSource>,
    pub(crate) records: Arc<RecordSet>,
    /// The folder that has to be trusted before any of its skills is offered.
    pub(crate) asked: Option<AskedFolder>,
    /// The reason why its skills are not offered, if they are not.
    pub(crate) withheld: Option<Withheld>,
    /// The source itself, if agents write its skills.
    pub(crate) agents: Option<Arc<AgentSource>>,
    /// The skills of agents that are not offered.
    pub(crate) hidden: Hidden,
    /// The finding about them.
    pub(crate) hidden_finding: Option<Diagnostic>,
    /// The error of the last scan, if it failed.
    pub(crate) failure: Option<Diagnostic>,
    /// A finding about the watch of the source.
    pub(crate) remark: Option<Diagnostic>,
}

/// The parts of the next catalog that differ from the last one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Delta {
    pub(crate) records: bool,
    /// The trust in the folder of a source.
    pub(crate) trust: bool,
    /// The findings about the sources themselves.
    pub(crate) findings: bool,
    /// The requirements of skills that the machine meets.
    pub(crate) readiness: bool,
}

impl Delta {
    /// Returns whether the catalogs are equal.
    pub(crate) fn is_empty(self) -> bool {
        self == Self::default()
    }
}

impl Scanned {
    pub(crate) fn new(sources: Vec<Registered>) -> Self {
        Self { sources, findings: Vec::new(), added: Vec::new(), is_unpublished: false }
    }

    pub(crate) fn update_trust(
        &mut self,
        trust: &dyn FolderTrust,
        commands: &HostCommands,
    ) -> bool {
        let mut has_changed = false;
        for registered in &mut self.sources {
            let asked = registered.asked.as_ref();
            let answer = asked.and_then(|asked| folder::ask(asked, trust, commands));
            has_changed |= answer != registered.withheld;
            registered.withheld = answer;
            let Some(agents) = &registered.agents else { continue };
            let hidden = agents.hidden(&registered.records, trust, commands);
            has_changed |= hidden != registered.hidden;
            registered.hidden_finding = agents.finding(&hidden);
            registered.hidden = hidden;
        }
        has_changed
    }

    /// Collects the findings about the sources themselves, each once, after this one. Returns
    /// whether they have changed.
    pub(crate) fn update_findings(&mut self, first: Option<Diagnostic>) -> bool {
        let mut findings = Vec::new();
        let of_sources = self.sources.iter().flat_map(Registered::findings).cloned();
        for finding in first.into_iter().chain(of_sources) {
            if !findings.contains(&finding) {
                findings.push(finding);
            }
        }
        let earlier = std::mem::replace(&mut self.findings, findings);
        earlier != self.findings
    }

    pub(crate) fn catalog_sources(&self) -> Vec<CatalogSource> {
        let source = |registered: &Registered| CatalogSource {
            layer: registered.layer,
            source: Arc::clone(&registered.source),
            records: Arc::clone(&registered.records),
        };
        self.sources.iter().map(source).collect()
    }
}

impl Registered {
    pub(crate) fn new(
        layer: usize,
        source: Arc<dyn SkillSource>,
        asked: Option<AskedFolder>,
    ) -> Self {
        let records = Arc::new(RecordSet::default());
        Self {
            layer,
            policy: RegistryPolicy::default(),
            source,
            records,
            asked,
            withheld: None,
            agents: None,
            hidden: Hidden::new(),
            hidden_finding: None,
            failure: None,
            remark: None,
        }
    }

    /// Returns the reason why its skills are not offered, if they are not.
    pub(crate) fn reason_withheld(&self) -> Option<Box<str>> {
        self.withheld.as_ref().map(|withheld| withheld.reason.clone())
    }

    /// Iterates over the findings about the source itself. An empty source that is withheld is no
    /// finding.
    fn findings(&self) -> impl Iterator<Item = &Diagnostic> {
        let has_any = !self.records.is_empty() || self.records.diagnostics().next().is_some();
        let withheld = self.withheld.as_ref().filter(|_| has_any);
        let withheld = withheld.map(|withheld| &withheld.finding);
        let of_source = self.failure.iter().chain(&self.remark);
        withheld.into_iter().chain(&self.hidden_finding).chain(of_source)
    }
}
