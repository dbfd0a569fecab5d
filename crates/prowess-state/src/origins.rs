//! The sources and signers of installed skills that the user trusts.

use prowess_core::{Diagnostic, Timestamp};

use crate::TrustError;
use crate::trust::{Content, TrustFile};
use crate::trusted_origin::TrustedOrigin;

/// Something that installed skills come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin<'o> {
    /// A source, as a lock file names it.
    Source(&'o str),
    /// A signer, as a lock file names it.
    Signer(&'o str),
}

/// The sources and signers of installed skills that the user trusts. A skill is trusted if its
/// source or its signer is.
#[derive(Clone, Debug, Default)]
pub struct TrustedOrigins {
    /// The sources, in the order in which they were trusted.
    pub sources: Vec<TrustedOrigin>,
    /// The signers, in the order in which they were trusted.
    pub signers: Vec<TrustedOrigin>,
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
            Ok(Content { sources, signers, .. }) => {
                TrustedOrigins { sources, signers, finding: None }
            }
            Err(finding) => TrustedOrigins { finding: Some(*finding), ..TrustedOrigins::default() },
        }
    }

    /// Trusts a source or a signer, exactly as it is written.
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
            let (origins, name) = content.origins(origin);
            let trusted = TrustedOrigin { name: name.into(), since: now.into() };
            origins.retain(|known| &*known.name != name);
            origins.push(trusted.clone());
            Ok(trusted)
        })
    }

    /// Revokes the trust in a source or a signer; `None` if it was not trusted.
    ///
    /// # Errors
    ///
    /// Returns an error if the file is unusable or cannot be written.
    pub fn revoke_origin(&self, origin: Origin<'_>) -> Result<Option<TrustedOrigin>, TrustError> {
        self.change(|content| {
            let (origins, name) = content.origins(origin);
            let at = origins.iter().position(|known| &*known.name == name);
            Ok(at.map(|at| origins.remove(at)))
        })
    }
}

impl Content {
    /// Returns the list of a kind of origin, and the name in it.
    fn origins<'o>(&mut self, origin: Origin<'o>) -> (&mut Vec<TrustedOrigin>, &'o str) {
        match origin {
            Origin::Source(name) => (&mut self.sources, name),
            Origin::Signer(name) => (&mut self.signers, name),
        }
    }
}
