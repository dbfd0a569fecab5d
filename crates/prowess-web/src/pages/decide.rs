//! Decisions: their forms, the check of what they were made on, and the page of a stale one.

use prowess_core::Digest;
use serde_json::{Map, Value, json};

use super::changes::{moved, write_parts};
use super::parts::{ROW_BYTES, document, plain, target, text, trusted, write_refusal};
use super::{Answer, Context, missing, refusal};
use crate::form::{Form, decoded, encoded};
use crate::html::{Html, clipped};
use crate::{Decision, Refusal, RefusalKind, Scope, View};

/// The maximum number of encoded bytes of a field that a form keeps for the difference. Of a longer
/// one, its digest says whether the rest has changed.
const KEPT_BYTES: usize = 60;

/// Adds a form with a button for each choice. It carries the digest of what is shown, so that the
/// decision is about that.
pub(super) fn write_form(
    html: &mut Html,
    path: &str,
    (id, shown): (&str, &Value),
    choices: &[(&str, &str)],
    token: &str,
) {
    // Encoded, because a text that is shown differs from one that has invisible characters.
    let (digest, kept, id) = (digest(shown), encoded(&kept(shown).to_string()), encoded(id));
    let hidden = [("form", token), ("id", &id), ("digest", &digest), ("seen", &kept)];
    html.element("form", &[("action", path), ("method", "post")], |html| {
        for (name, value) in hidden {
            html.empty("input", &[("type", "hidden"), ("name", name), ("value", value)]);
        }
        if path == "/proposal" {
            html.element("label", &[], |html| {
                html.text("Reason ");
                html.empty("input", &[("type", "text"), ("name", "reason"), ("maxlength", "1000")]);
            });
        }
        for (choice, label) in choices {
            let button = [("name", "decision"), ("value", *choice), ("class", *choice)];
            html.element("button", &button, |html| html.text(label));
        }
    });
}

impl Context<'_> {
    /// Makes the decision of a form, unless what it is about has changed.
    pub(crate) fn decide(&self, path: &str, form: &Form) -> Answer {
        let id = decoded(form.get("id")).unwrap_or_default();
        if !["/approval", "/proposal", "/skill", "/trust"].contains(&path) {
            return refusal(&missing());
        }
        let current = match self.current(path, &id) {
            Ok(current) => current,
            Err(Refusal { kind: RefusalKind::Missing, .. }) => Value::Null,
            Err(found) => return refusal(&found),
        };
        if digest(&current) != form.get("digest") {
            return self.stale(path, &id, form, &current, None);
        }
        let Some(decision) = decision(path, form, &id, &current) else {
            return refusal(&missing());
        };
        match self.desk.decide(&decision) {
            Ok(value) => Answer { value, location: Some(back(path, &id)), ..Answer::default() },
            // Another person was faster between the two.
            Err(found) if found.kind == RefusalKind::Conflict => {
                let current = self.current(path, &id).unwrap_or_default();
                self.stale(path, &id, form, &current, Some(&found))
            }
            Err(found) => refusal(&found),
        }
    }

    /// Returns what a decision is about, as it is now.
    fn current(&self, path: &str, id: &str) -> Result<Value, Refusal> {
        Ok(match path {
            "/approval" => self.desk.view(&View::Approval(id))?.value["approval"].clone(),
            "/proposal" => self.desk.view(&View::Proposal(id))?.value["proposal"].clone(),
            "/skill" => self.desk.view(&View::Skill(id))?.value["review"].clone(),
            _ => {
                let all = self.desk.view(&View::Trust)?.value;
                let found = trusted(&all).into_iter().find(|(name, _)| *name == id);
                found.map(|(_, entry)| entry).unwrap_or_default()
            }
        })
    }

    /// Returns the page of a decision on something that has changed: nothing was done.
    fn stale(
        &self,
        path: &str,
        id: &str,
        form: &Form,
        current: &Value,
        reason: Option<&Refusal>,
    ) -> Answer {
        let kept = decoded(form.get("seen")).unwrap_or_default();
        let seen: Map<String, Value> = serde_json::from_str(&kept).unwrap_or_default();
        let now = self::kept(current);
        let found = Refusal {
            kind: RefusalKind::Conflict,
            code: "web-decision-stale".to_owned(),
            message: "nothing was done: what you decided on has changed".to_owned(),
            help: "look at it as it is now, and decide again".to_owned(),
        };
        let found = reason.unwrap_or(&found);
        let mut content = Html::default();
        write_refusal(&mut content, found);
        let here = match path {
            _ if current.is_null() => back(path, id),
            "/trust" => path.to_owned(),
            _ => target(path, "id", id),
        };
        if current.is_null() {
            content.line("p", "It is gone.");
        } else {
            write_difference(&mut content, &seen, &now);
            let next = format!("{here}&from=");
            write_parts(&mut content, &[moved(current)], 0, &next);
        }
        if !form.get("reason").is_empty() {
            content.line("p", &format!("Your reason: {}", clipped(form.get("reason"), 2_000)));
        }
        content.element("p", &[], |html| html.link(&here, "As it is now"));
        let mut answer = refusal(found);
        answer.value["error"]["seen"] = Value::Object(seen);
        answer.value["error"]["now"] = json!(now);
        answer.page = document("Changed meanwhile", path, &content);
        answer
    }
}

/// Returns where a decision leads: to what it was about, as it is then.
fn back(path: &str, id: &str) -> String {
    match path {
        "/approval" | "/proposal" | "/skill" => target(path, "id", id),
        _ => path.to_owned(),
    }
}

fn decision<'d>(path: &str, form: &'d Form, id: &'d str, shown: &'d Value) -> Option<Decision<'d>> {
    let reason = Some(form.get("reason").trim()).filter(|it| !it.is_empty());
    let digest = text(shown, "digest");
    let accept = |rebase| Decision::Accept { name: id, digest, rebase, reason };
    Some(match (path, form.get("decision")) {
        ("/proposal", "accept") => accept(None),
        ("/proposal", "rebase") => accept(Some(text(shown, "now"))),
        ("/proposal", "reject") => Decision::Reject(id, reason),
        ("/proposal", "withdraw") => Decision::Withdraw(id, reason),
        ("/approval", "once") => Decision::Grant(id, Scope::Once),
        ("/approval", "session") => Decision::Grant(id, Scope::Session),
        ("/approval", "always") => Decision::Grant(id, Scope::Always),
        ("/approval", "deny") => Decision::Deny(id),
        ("/approval", "revoke") => Decision::Revoke(id),
        ("/skill", "trust") => Decision::Trust(text(shown, "skill")),
        ("/trust", "distrust") => Decision::Distrust(id),
        _ => return None,
    })
}

/// Returns the digest of what was shown. The number of an approval is given when it is listed, and
/// says nothing about it.
fn digest(shown: &Value) -> String {
    let mut shown = shown.clone();
    if let Some(fields) = shown.as_object_mut() {
        fields.shift_remove("number");
    }
    Digest::of(shown.to_string().as_bytes()).to_string()
}

/// Returns the start of each field, for the difference, and the digest of a longer one.
fn kept(shown: &Value) -> Value {
    let fields = shown.as_object().into_iter().flatten();
    let known = fields.filter(|(name, value)| *name != "number" && !value.is_null());
    let known = known.map(|(name, value)| {
        let whole = plain(value);
        let mut start = clipped(&whole, KEPT_BYTES);
        if start != whole {
            let digest = Digest::of(whole.as_bytes()).to_string();
            start = format!("{start} ({})", &digest[.."sha256:".len() + 12]);
        }
        (name.clone(), Value::String(start))
    });
    Value::Object(known.collect())
}

fn write_difference(html: &mut Html, seen: &Map<String, Value>, now: &Value) {
    let empty = Map::new();
    let now = now.as_object().unwrap_or(&empty);
    let names = seen.keys().chain(now.keys().filter(|name| !seen.contains_key(*name)));
    let part = |fields: &Map<String, Value>, name: &str| {
        fields
            .get(name)
            .map_or_else(|| "nothing".to_owned(), |value| clipped(&plain(value), ROW_BYTES))
    };
    html.element("table", &[], |html| {
        html.line("caption", "The difference");
        html.element("tr", &[], |html| {
            for heading in ["Field", "You saw", "It is now"] {
                html.element("th", &[("scope", "col")], |html| html.text(heading));
            }
        });
        for name in names.filter(|name| seen.get(*name) != now.get(*name)).take(20) {
            html.element("tr", &[], |html| {
                html.element("th", &[("scope", "row")], |html| html.text(&clipped(name, 40)));
                html.line("td", &part(seen, name));
                html.line("td", &part(now, name));
            });
        }
    });
}
