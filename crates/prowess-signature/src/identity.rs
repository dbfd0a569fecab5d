//! Signers without keys of their own.

use std::fmt;

use crate::error::SignatureError;

/// The issuer of the identities of GitHub's workflows.
const GITHUB: &str = "https://token.actions.githubusercontent.com";

/// The text before the tag in the identity of a workflow that ran for one.
const TAG: &str = "@refs/tags/";

/// An identity that an issuer has confirmed, such as an address or a workflow. It signs with a key
/// that is used once, and sigstore certifies.
///
/// A workflow of GitHub is the same signer for each tag, which is written as `*`: otherwise every
/// release would have another one. A branch stays a part of the identity.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Identity {
    issuer: String,
    subject: String,
}

impl Identity {
    /// Creates the identity of a subject, as its issuer names it.
    ///
    /// # Errors
    ///
    /// One of them is empty, or has characters that a URL and an address do not have.
    pub fn new(issuer: &str, subject: &str) -> Result<Self, SignatureError> {
        let is_plain =
            |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_graphic());
        if !is_plain(issuer) || !is_plain(subject) {
            let message = "its issuer or its subject is missing, or is not plain text";
            return Err(SignatureError::Identity(message.to_owned()));
        }
        let subject = match subject.split_once(TAG) {
            Some((workflow, _)) if issuer == GITHUB => format!("{workflow}{TAG}*"),
            _ => subject.to_owned(),
        };
        Ok(Self { issuer: issuer.to_owned(), subject })
    }

    /// Parses what [`Display`](fmt::Display) writes: the issuer, a space and the subject.
    ///
    /// # Errors
    ///
    /// As [`Self::new`].
    pub fn parse(text: &str) -> Result<Self, SignatureError> {
        let (issuer, subject) = text.split_once(' ').unwrap_or((text, ""));
        Self::new(issuer, subject)
    }

    /// Returns the URL of the issuer.
    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    /// Returns the subject: an address, or the URL of a workflow.
    pub fn subject(&self) -> &str {
        &self.subject
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.issuer, self.subject)
    }
}
