//! The network of a script: a proxy of this process.

use std::io;
use std::net::TcpListener;

use prowess_core::{Code, ScriptError, ScriptNetwork};
use prowess_egress::{EgressPolicy, SecretHeader};
use prowess_sandbox::SandboxErrorKind;

use crate::ScriptPolicy;

#[cfg(feature = "proxy")]
pub(crate) use prowess_egress::Proxy;

/// There is no proxy in a build without the feature, and [`check`] refuses what needs one.
#[cfg(not(feature = "proxy"))]
pub(crate) enum Proxy {}

/// The port of the proxy in the network of a script, in which nothing else listens.
const PORT: u16 = 3_128;

/// Returns the port of the proxy, if the policy grants hosts.
pub(crate) fn port(policy: &ScriptPolicy) -> Option<u16> {
    (!policy.network.is_empty()).then_some(PORT)
}

/// Refuses a policy that grants hosts in a build without the proxy.
pub(crate) fn check(policy: &ScriptPolicy) -> Result<(), ScriptError> {
    if cfg!(feature = "proxy") || policy.network.is_empty() {
        return Ok(());
    }
    let message = "scripts that may reach hosts need the feature `proxy`, which this build lacks; \
                   no script runs without it";
    Err(ScriptError::new(Code::new(SandboxErrorKind::Unavailable.as_str()), message))
}

/// Returns what the proxy of a script lets through.
pub(crate) fn policy(policy: &ScriptPolicy) -> io::Result<EgressPolicy> {
    let ScriptPolicy { network, private_hosts, authorities, traffic, .. } = policy;
    Ok(EgressPolicy {
        hosts: network.clone(),
        private_hosts: private_hosts.clone(),
        authorities: authorities.as_ref().map(std::fs::read).transpose()?,
        limits: traffic.clone(),
    })
}

/// Starts the proxy at a listener in the network of a script.
#[cfg(feature = "proxy")]
pub(crate) fn start(
    listener: Option<TcpListener>,
    policy: EgressPolicy,
    headers: Vec<SecretHeader>,
) -> io::Result<Option<Proxy>> {
    listener.map(|listener| Proxy::start(listener, policy, headers)).transpose()
}

/// Starts no proxy: without a granted host there is no listener.
#[cfg(not(feature = "proxy"))]
#[expect(clippy::unnecessary_wraps, reason = "the proxy can fail to start")]
pub(crate) fn start(
    _: Option<TcpListener>,
    _: EgressPolicy,
    _: Vec<SecretHeader>,
) -> io::Result<Option<Proxy>> {
    Ok(None)
}

/// Returns that the script has asked for nothing.
#[cfg(not(feature = "proxy"))]
pub(crate) fn end(_: Option<Proxy>, _: &str) -> ScriptNetwork {
    ScriptNetwork::default()
}

/// Ends the proxy, and reports what the script has asked for.
#[cfg(feature = "proxy")]
pub(crate) fn end(proxy: Option<Proxy>, skill: &str) -> ScriptNetwork {
    use prowess_core::RefusedHost;

    let Some(proxy) = proxy else { return ScriptNetwork::default() };
    let prowess_egress::Traffic { reached, refusals, more_refusals, .. } = proxy.end();
    let refused: Vec<_> = refusals
        .into_iter()
        .map(|refusal| RefusedHost { host: refusal.host, code: Code::new(refusal.kind.as_str()) })
        .collect();
    for RefusedHost { host, code } in &refused {
        tracing::warn!(target: "prowess", skill, host, code = code.as_str(), "host_refused");
    }
    ScriptNetwork { reached: reached.into_iter().collect(), refused, more_refused: more_refusals }
}
