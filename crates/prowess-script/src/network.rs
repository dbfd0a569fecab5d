//! The network of a script: a proxy of this process.

use std::io;
use std::net::TcpListener;

use prowess_core::{Code, RefusedHost, ScriptNetwork};
use prowess_egress::{EgressPolicy, Proxy, SecretHeader, Traffic};

use crate::ScriptPolicy;

/// The port of the proxy in the network of a script, in which nothing else listens.
const PORT: u16 = 3_128;

/// Returns the port of the proxy, if the policy grants hosts.
pub(crate) fn port(policy: &ScriptPolicy) -> Option<u16> {
    (!policy.network.is_empty()).then_some(PORT)
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
pub(crate) fn start(
    listener: Option<TcpListener>,
    policy: EgressPolicy,
    headers: Vec<SecretHeader>,
) -> io::Result<Option<Proxy>> {
    listener.map(|listener| Proxy::start(listener, policy, headers)).transpose()
}

/// Ends the proxy, and reports what the script has asked for.
pub(crate) fn end(proxy: Option<Proxy>, skill: &str) -> ScriptNetwork {
    let Some(proxy) = proxy else { return ScriptNetwork::default() };
    let Traffic { reached, refusals, more_refusals, .. } = proxy.end();
    let refused: Vec<_> = refusals
        .into_iter()
        .map(|refusal| RefusedHost { host: refusal.host, code: Code::new(refusal.kind.as_str()) })
        .collect();
    for RefusedHost { host, code } in &refused {
        tracing::warn!(target: "prowess", skill, host, code = code.as_str(), "host_refused");
    }
    ScriptNetwork { reached: reached.into_iter().collect(), refused, more_refused: more_refusals }
}
