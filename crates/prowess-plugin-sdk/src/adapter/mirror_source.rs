//! A source of the host, read by questions of a call with the rights of its caller.

use std::collections::HashMap;
use std::sync::Arc;

use prowess_core::{
    Cancel, Listing, PackagePath, PreviousScan, ReadLimit, Resource, ResourcePath, ScanSink,
    ScanSummary, SkillSource, SourceError, SourceErrorKind,
};
use prowess_plugin_abi::conversation::{PackageListing, Question};

use super::conversation::Conversation;
use crate::convert;

/// The constant properties of one source.
pub(super) struct SourceFacts {
    pub(super) name: String,
    pub(super) root: String,
    /// The position of each package's skill in the snapshot.
    pub(super) skills: HashMap<String, usize>,
}

/// Reads the packages of one source by questions of a call.
pub(super) struct MirrorSource {
    facts: Arc<SourceFacts>,
    conversation: Option<Conversation>,
}

impl MirrorSource {
    pub(super) fn new(facts: &Arc<SourceFacts>, conversation: Option<Conversation>) -> Self {
        Self { facts: Arc::clone(facts), conversation }
    }

    fn conversation(&self) -> Result<&Conversation, SourceError> {
        self.conversation.as_ref().ok_or_else(|| unavailable("it can only be read within a call"))
    }

    /// Returns the position of a package's skill in the snapshot.
    fn skill(&self, package: &PackagePath) -> Result<usize, SourceError> {
        self.facts.skills.get(package.as_str()).copied().ok_or_else(|| {
            let message = format!("there is no package `{package}`");
            SourceError::new(SourceErrorKind::NotFound, message)
        })
    }
}

fn unavailable(message: &str) -> SourceError {
    SourceError::new(SourceErrorKind::Unavailable, message)
}

impl SkillSource for MirrorSource {
    fn name(&self) -> &str {
        &self.facts.name
    }

    fn root(&self) -> &str {
        &self.facts.root
    }

    fn scan(
        &self,
        _: &PreviousScan<'_>,
        _: &mut dyn ScanSink,
        _: &Cancel,
    ) -> Result<ScanSummary, SourceError> {
        Err(unavailable("the host scans its sources itself"))
    }

    fn list(&self, package: &PackagePath, most: usize) -> Result<Listing, SourceError> {
        let question = Question::List { skill: self.skill(package)?, most };
        let listing: PackageListing = self
            .conversation()?
            .ask(&question)
            .map_err(|error| convert::to_source_error(&error))?;
        let resource = |(path, bytes): (String, u64)| {
            let path = ResourcePath::new(&path).map_err(|error| unavailable(&error.to_string()))?;
            Ok(Resource { path, bytes })
        };
        let resources: Result<Vec<_>, SourceError> =
            listing.files.into_iter().map(resource).collect();
        Ok(Listing { resources: resources?, is_complete: listing.is_complete })
    }

    fn read(
        &self,
        package: &PackagePath,
        resource: &ResourcePath,
        limit: ReadLimit,
    ) -> Result<Vec<u8>, SourceError> {
        let question = Question::Read {
            skill: self.skill(package)?,
            resource: resource.as_str().to_owned(),
            limit: limit.0,
        };
        let answer = self.conversation()?.ask_bytes(&question);
        let bytes = answer.map_err(|error| convert::to_source_error(&error))?;
        Ok(bytes.as_slice().to_vec())
    }
}
