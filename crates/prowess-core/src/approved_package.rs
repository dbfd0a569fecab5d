//! The check that what runs is what a person approved.

use crate::{
    Cancel, Digest, PackageDigest, ResourcePath, ScriptError, ScriptRequest, SourceErrorKind, codes,
};

/// The files of the package that a person approved, for runners of scripts: each file that a script
/// may use is compared with them after it was read.
///
/// A comparison of the package alone would not do, because a file may change between the comparison
/// and the copy, and back again.
#[derive(Debug)]
pub struct ApprovedPackage(Option<PackageDigest>);

impl ApprovedPackage {
    /// Reads the package of a request if it is bound to a digest.
    ///
    /// # Errors
    ///
    /// The package is not the approved one, or it cannot be read.
    pub fn of(request: &ScriptRequest<'_>, cancel: &Cancel) -> Result<Self, ScriptError> {
        let Some(approved) = request.approved else { return Ok(Self(None)) };
        let contents = request.catalog.package_contents(request.record, cancel);
        let contents = contents.map_err(|error| {
            let code = match error.kind {
                SourceErrorKind::Cancelled => codes::CANCELLED,
                _ => codes::PACKAGE_CHANGED,
            };
            let message = format!("the approved package cannot be read: {error}; tell the user");
            ScriptError::new(code, message)
        })?;
        if contents.finish() == approved { Ok(Self(Some(contents))) } else { Err(changed()) }
    }

    /// Checks a file that was read from the package.
    ///
    /// # Errors
    ///
    /// The approved package does not have this content there.
    pub fn check(&self, path: &ResourcePath, bytes: &[u8]) -> Result<(), ScriptError> {
        let permits =
            |contents: &PackageDigest| contents.permits(path.as_str(), &Digest::of(bytes));
        if self.0.as_ref().is_none_or(permits) { Ok(()) } else { Err(changed()) }
    }
}

fn changed() -> ScriptError {
    let message = "the files of the skill have changed since its script was approved, so it was \
        not run; repeat the call, which asks for another approval";
    ScriptError::new(codes::PACKAGE_CHANGED, message)
}
