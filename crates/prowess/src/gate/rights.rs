//! The rights of a script, which a person approves together with the call that runs it.

use std::borrow::Cow;

use prowess_core::{Cancel, Catalog, Digest, Record};
use prowess_script::ScriptPolicy;
use serde_json::{Map, Value, json};

use super::ConsentPolicy;

/// The field of the rights next to the arguments of the call, which no schema of a tool has.
const RIGHTS: &str = "rights";

/// The fields of the policy that give a script nothing: they say whether a person is asked, and how
/// many scripts run at once.
const NO_RIGHTS: [&str; 4] = ["exec", "trust", "ask", "concurrent"];

/// The fields whose order has no effect.
const SETS: [&str; 4] = ["read", "write", "network", "private_hosts"];

impl ConsentPolicy {
    /// Returns the arguments that a person is shown and that an approval covers: those of the call
    /// and, for one that runs something of a skill, each right that the default policy does not
    /// give. So an approval of a script says nothing about a run of it that may do more.
    pub(crate) fn covered<'a>(
        &self,
        arguments: &'a Value,
        catalog: &Catalog,
        subject: Option<Record<'_>>,
    ) -> Cow<'a, Value> {
        let rights = subject.map(|subject| rights(&self.scripts, catalog, subject));
        match (rights.filter(|rights| !rights.is_empty()), arguments) {
            (Some(rights), Value::Object(fields)) => {
                let mut fields = fields.clone();
                fields.insert(RIGHTS.to_owned(), Value::Object(rights));
                Cow::Owned(Value::Object(fields))
            }
            _ => Cow::Borrowed(arguments),
        }
    }
}

/// Returns the fields of the policy that differ from the default, as a file of the policy has them.
fn rights(policy: &ScriptPolicy, catalog: &Catalog, subject: Record<'_>) -> Map<String, Value> {
    let mut policy = policy.clone();
    for path in policy.read.iter_mut().chain(&mut policy.write) {
        // A link that leads elsewhere after the approval is another right.
        *path = path.canonicalize().unwrap_or_else(|_| std::mem::take(path));
    }
    // Values of variables may be secrets, so a person sees their names, and digests stand for them.
    for value in policy.environment.values_mut() {
        *value = Digest::of(value.as_bytes()).to_string();
    }
    if !policy.secrets.is_empty() {
        let package = catalog.package_digest(subject, &Cancel::default()).ok();
        policy.secrets.retain(|grant| package.is_none_or(|it| grant.packages.contains(&it)));
    }
    let usual = fields(&ScriptPolicy::default());
    let mut rights = fields(&policy);
    rights.retain(|name, value| !NO_RIGHTS.contains(&&**name) && usual.get(name) != Some(value));
    for name in SETS {
        if let Some(Value::Array(values)) = rights.get_mut(name) {
            values.sort_by_cached_key(Value::to_string);
            values.dedup();
        }
    }
    if let Some(directory) = &policy.directory {
        rights.insert("directory".to_owned(), json!(directory.to_string_lossy()));
    }
    rights
}

fn fields(policy: &ScriptPolicy) -> Map<String, Value> {
    match serde_json::to_value(policy) {
        Ok(Value::Object(fields)) => fields,
        // A path that is not UTF-8 has no place in JSON, and may not be left out.
        _ => Map::from_iter([("policy".to_owned(), json!(format!("{policy:?}")))]),
    }
}
