//! Secrets of the operator, for the scripts of certain packages.

use std::path::PathBuf;
use std::sync::Arc;

use prowess_core::{Cancel, Digest, ScriptError, ScriptRequest};
use prowess_egress::{HostPattern, SecretHeader, SecretValue, can_be_masked, may_have_secret};
use prowess_text::quoted;
use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize};

use crate::codes;

/// Returns the secret at a source, or the reason why there is none, as a clause.
pub type ReadSecret = Arc<dyn Fn(&SecretSource) -> Result<String, String> + Send + Sync>;

/// Where a secret is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SecretSource {
    /// A variable of the operator's environment.
    Variable(String),
    /// A file of the operator.
    File(PathBuf),
    /// A command of the operator, whose output is the secret.
    Command(Vec<String>),
}

/// A secret that the scripts of certain packages use: from a variable, a file or a command, for
/// requests to a host or as a variable of the script.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SecretGrant {
    /// The digests of the packages, as `prowess run --explain` prints them. Another version of a
    /// package has another digest, and gets nothing.
    pub packages: Vec<Digest>,
    /// The variable of the operator that has the secret. By default, `None`.
    pub variable: Option<String>,
    /// The file that has the secret. By default, `None`.
    pub file: Option<PathBuf>,
    /// The command that prints the secret. By default, none.
    pub command: Vec<String>,
    /// The one host that gets the secret in a header, with a port if it is not of the web. The
    /// network has to grant it. By default, `None`.
    #[serde(deserialize_with = "one_host")]
    pub host: Option<HostPattern>,
    /// The name of the header. By default `authorization`.
    #[serde(deserialize_with = "own_header")]
    pub header: Option<String>,
    /// The text in front of the secret in the header. By default `Bearer ` for `authorization`, and
    /// nothing for others.
    pub prefix: Option<String>,
    /// The variable of the script that has the secret, instead of a host. By default, `None`.
    pub environment: Option<String>,
}

/// The secrets of one run.
#[derive(Default)]
pub(crate) struct Secrets {
    pub(crate) headers: Vec<SecretHeader>,
    pub(crate) variables: Vec<(String, SecretValue)>,
    /// The digest of the package that they are granted to.
    pub(crate) package: Option<Digest>,
}

impl Secrets {
    /// Reads the secrets that are granted to the package of a request.
    pub(crate) fn read(
        grants: &[SecretGrant],
        request: &ScriptRequest<'_>,
        read: Option<&ReadSecret>,
        cancel: &Cancel,
    ) -> Result<Self, ScriptError> {
        let mut secrets = Self::default();
        let Some(package) = package(grants, request, cancel) else { return Ok(secrets) };
        for grant in grants.iter().filter(|grant| grant.packages.contains(&package)) {
            secrets.add(grant, read).map_err(|reason| unavailable(grant, &reason))?;
            secrets.package = Some(package);
        }
        Ok(secrets)
    }

    fn add(&mut self, grant: &SecretGrant, read: Option<&ReadSecret>) -> Result<(), String> {
        let source = grant.source()?;
        let read = read.ok_or("this host reads no secrets")?;
        let value = read(&source)?;
        let value = value.trim_end_matches(['\r', '\n']);
        if value.is_empty() {
            return Err("it is empty".to_owned());
        }
        if !can_be_masked(value) {
            let reason = "it, or the password in it, has fewer than 6 characters: answers and \
                          output would have asterisks for much that is no secret";
            return Err(reason.to_owned());
        }
        let value = SecretValue::new(value);
        match (&grant.host, &grant.environment) {
            (Some(host), None) => {
                check_host(host)?;
                let header = grant.header.clone().unwrap_or_else(|| AUTHORIZATION.to_owned());
                check_header(&header)?;
                let is_default = header.eq_ignore_ascii_case(AUTHORIZATION);
                let prefix = if is_default { "Bearer " } else { "" };
                let prefix = grant.prefix.clone().unwrap_or_else(|| prefix.to_owned());
                self.headers.push(SecretHeader { host: host.clone(), header, prefix, value });
            }
            (None, Some(name)) => self.variables.push((name.clone(), value)),
            _ => return Err("it names neither or both of `host` and `environment`".to_owned()),
        }
        Ok(())
    }

    pub(crate) fn values(&self) -> Vec<SecretValue> {
        let headers = self.headers.iter().map(|header| &header.value);
        headers.chain(self.variables.iter().map(|(_, value)| value)).cloned().collect()
    }
}

/// The header of a grant that names none.
const AUTHORIZATION: &str = "authorization";

fn check_host(host: &HostPattern) -> Result<(), String> {
    let several = || format!("its host {} is a pattern of several hosts", quoted(host.as_str()));
    host.is_one_host().then_some(()).ok_or_else(several)
}

fn check_header(name: &str) -> Result<(), String> {
    let other = || format!("{} is no header that may have a secret", quoted(name));
    may_have_secret(name).then_some(()).ok_or_else(other)
}

/// Reads a value of a file that no run would accept otherwise.
fn checked<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    from: D,
    check: fn(&T) -> Result<(), String>,
) -> Result<Option<T>, D::Error> {
    let value = Option::<T>::deserialize(from)?;
    value.as_ref().map_or(Ok(()), check).map_err(D::Error::custom)?;
    Ok(value)
}

fn one_host<'de, D: Deserializer<'de>>(from: D) -> Result<Option<HostPattern>, D::Error> {
    checked(from, check_host)
}

fn own_header<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    checked(from, |name: &String| check_header(name))
}

/// Returns the digest of the package of a request, if there are grants.
fn package(grants: &[SecretGrant], request: &ScriptRequest<'_>, cancel: &Cancel) -> Option<Digest> {
    // A package that cannot be read is one that cannot be copied, which is reported then.
    (!grants.is_empty()).then(|| request.catalog.package_digest(request.record, cancel).ok())?
}

/// Returns the purposes of the secrets that are granted to the package of a request.
pub(crate) fn uses(grants: &[SecretGrant], request: &ScriptRequest<'_>) -> Vec<String> {
    let Some(package) = package(grants, request, &Cancel::default()) else { return Vec::new() };
    let granted = grants.iter().filter(|grant| grant.packages.contains(&package));
    granted.map(SecretGrant::usage).collect()
}

impl SecretGrant {
    fn source(&self) -> Result<SecretSource, String> {
        let Self { variable, file, command, .. } = self;
        match (variable, file, command.as_slice()) {
            (Some(name), None, []) => Ok(SecretSource::Variable(name.clone())),
            (None, Some(path), []) => Ok(SecretSource::File(path.clone())),
            (None, None, [_, ..]) => Ok(SecretSource::Command(command.clone())),
            _ => Err("it needs one of `variable`, `file` and `command`".to_owned()),
        }
    }

    /// Returns what the secret is for.
    fn usage(&self) -> String {
        let header = self.header.as_deref().unwrap_or(AUTHORIZATION);
        match (&self.host, &self.environment) {
            (Some(host), _) => format!("the header `{header}` for `{host}`"),
            (None, Some(name)) => format!("the variable `{name}`"),
            (None, None) => "nothing".to_owned(),
        }
    }
}

fn unavailable(grant: &SecretGrant, reason: &str) -> ScriptError {
    let usage = grant.usage();
    let message = format!(
        "the secret for {usage} cannot be used: {reason}; follow the skill's instructions without \
         the script, or ask the operator to correct the grant under {}",
        quoted("scripts.secrets")
    );
    ScriptError::new(codes::SECRET_UNAVAILABLE, message)
}
