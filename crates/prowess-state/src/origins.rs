//! The sources and signers of installed skills that the user trusts, and the reviewed skills.

use prowess_core::{Diagnostic, Digest, Timestamp};

use crate::TrustError;
use crate::trust::{Content, TrustFile};
use crate::trusted_origin::TrustedOrigin;

/// The maximum number of earlier reviews that are kept, of all skills.
const MOST_REVIEWED: usize = 1_000;

/// Something that installed skills come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin<'o> {
    /// A source, as a lock file names it.
    Source(&'o str),
    /// A signer, as a lock file names it.
    Signer(&'o str),
    /// A skill that an agent has written, as `ID@DIGEST` with the digest of the files that the user
    /// has reviewed. Another digest replaces it, and a review is revoked by the id, too.
    Skill(&'o str),
}

impl<'o> Origin<'o> {
    fn name(self) -> &'o str {
        match self {
            Self::Source(name) | Self::Signer(name) | Self::Skill(name) => name,
        }
    }

    fn is(self, known: &TrustedOrigin) -> bool {
        fn id(name: &str) -> &str {
            name.rsplit_once('@').map_or(name, |(id, _)| id)
        }
        match self {
            Self::Skill(name) => id(name) == id(&known.name),
            Self::Source(name) | Self::Signer(name) => *name == *known.name,
        }
    }
}

/// The sources and signers of installed skills that the user trusts. A skill is trusted if its
/// source or its signer is.
#[derive(Clone, Debug, Default)]
pub struct TrustedOrigins {
    /// The sources, in the order in which they were trusted.
    pub sources: Vec<TrustedOrigin>,
    /// The signers, in the order in which they were trusted.
    pub signers: Vec<TrustedOrigin>,
    /// The skills of agents that the user has reviewed, as `ID@DIGEST`.
    pub skills: Vec<TrustedOrigin>,
    /// The reason why none is trusted, if the file is unusable.
    pub finding: Option<Diagnostic>,
}

impl TrustedOrigins {
    /// Returns whether a skill of this source and this signer is trusted.
    pub fn trusts(&self, source: &str, signer: &str) -> bool {
        let has = |origins: &[TrustedOrigin], name| origins.iter().any(|it| &*it.name == name);
        has(&self.sources, source) || has(&self.signers, signer)
    }
}

impl TrustFile {
    /// Loads the trusted sources and signers. If the file is unusable, none is trusted.
    pub fn origins(&self) -> TrustedOrigins {
        match self.read() {
            Ok(Content { sources, signers, skills, .. }) => {
                TrustedOrigins { sources, signers, skills, finding: None }
            }
            Err(finding) => TrustedOrigins { finding: Some(*finding), ..TrustedOrigins::default() },
        }
    }

    /// Trusts a source, a signer or a skill, exactly as it is written.
    ///
    /// # Errors
    ///
    /// Returns an error if the file is unusable or cannot be written.
    pub fn trust_origin(
        &self,
        origin: Origin<'_>,
        now: Timestamp,
    ) -> Result<TrustedOrigin, TrustError> {
        self.change(|content| {
            let origins = content.origins(origin);
            let trusted = TrustedOrigin { name: origin.name().into(), since: now.into() };
            let replaced: Vec<_> = origins.extract_if(.., |known| origin.is(known)).collect();
            origins.push(trusted.clone());
            if matches!(origin, Origin::Skill(_)) {
                let reviewed = &mut content.reviewed;
                reviewed.retain(|known| replaced.iter().all(|it| it.name != known.name));
                reviewed.extend(replaced);
                reviewed.drain(..reviewed.len().saturating_sub(MOST_REVIEWED));
            }
            Ok(trusted)
        })
    }

    /// Returns whether the user has ever reviewed a skill with these files, and not revoked that
    /// since. It is not offered for that: only the last review counts
    /// ([`FolderTrust::has_reviewed`](prowess_core::FolderTrust::has_reviewed)).
    pub fn was_reviewed(&self, skill: &str, files: &Digest) -> bool {
        let name = format!("{skill}@{files}");
        let content = self.read().unwrap_or_default();
        content.skills.iter().chain(&content.reviewed).any(|known| *known.name == *name)
    }

    /// Revokes the trust in a source, a signer or a skill; `None` if it was not trusted.
    ///
    /// # Errors
    ///
    /// Returns an error if the file is unusable or cannot be written.
    pub fn revoke_origin(&self, origin: Origin<'_>) -> Result<Option<TrustedOrigin>, TrustError> {
        self.change(|content| {
            if matches!(origin, Origin::Skill(_)) {
                content.reviewed.retain(|known| !origin.is(known));
            }
            let origins = content.origins(origin);
            let at = origins.iter().position(|known| origin.is(known));
            Ok(at.map(|at| origins.remove(at)))
        })
    }
}

impl Content {
    /// Returns the list of a kind of origin.
    fn origins(&mut self, origin: Origin<'_>) -> &mut Vec<TrustedOrigin> {
        match origin {
            Origin::Source(_) => &mut self.sources,
            Origin::Signer(_) => &mut self.signers,
            Origin::Skill(_) => &mut self.skills,
        }
    }
}
