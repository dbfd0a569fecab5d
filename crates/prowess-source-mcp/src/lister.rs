//! Reads the listing of a server, by whatever it offers.

use std::ops::ControlFlow;

use prowess_text::quoted;
use serde_json::{Map, Value};

use crate::call::Call;
use crate::codes;
use crate::connection::Connection;
use crate::entry::{self, Rejected, rejected};
use crate::error::{CallError, INVALID_PARAMS};
use crate::listing::{Listing, ListingBuilder};
use crate::pages::{Extent, Pages};
use crate::place::Place;
use crate::resources;
use crate::skill::SKILL_FILE;

/// Reads the listing: that of the skills extension with the skills that the host names by their
/// URIs, or that of the resources of an older server.
pub(crate) fn list(
    connection: &mut Connection,
    mut builder: ListingBuilder<'_>,
    named: &[String],
    call: &Call<'_>,
) -> Result<Listing, CallError> {
    if connection.offers.skills {
        let pages = Pages { method: "skills/list", key: "skills" };
        let mut add = |entry: &Value| add(&mut builder, entry);
        if pages.read(connection, &mut add, call)? == Extent::Truncated {
            builder.truncate();
        }
        add_named(connection, &mut builder, named, call)?;
    } else if connection.offers.resources {
        resources::list(connection, &mut builder, call)?;
        for uri in named {
            if builder.reject(unknown(uri, "has no skills extension")).is_break() {
                break;
            }
        }
    } else {
        builder.report_no_skills();
    }
    Ok(builder.finish())
}

fn add(builder: &mut ListingBuilder<'_>, entry: &Value) -> ControlFlow<()> {
    match entry::skill(entry) {
        Ok(skill) => builder.add(skill),
        Err(rejected) => builder.reject(rejected),
    }
}

/// Adds the named skills that are not listed.
fn add_named(
    connection: &mut Connection,
    builder: &mut ListingBuilder<'_>,
    named: &[String],
    call: &Call<'_>,
) -> Result<(), CallError> {
    for uri in named {
        let Some(place) = Place::of(uri, SKILL_FILE) else { continue };
        if builder.has(&place.package) {
            continue;
        }
        let params = Map::from_iter([("uri".to_owned(), uri.as_str().into())]);
        let added = match connection.request("skills/get", params, call) {
            Ok(result) if result["skill"]["uri"] == **uri => add(builder, &result["skill"]),
            Ok(_) => {
                let reason = "the server answers with another skill".to_owned();
                let reason = (codes::MCP_SKILL_INVALID, reason);
                builder.reject(rejected(Some(place.package), uri, reason))
            }
            Err(CallError::Refused { code: INVALID_PARAMS, .. }) => {
                builder.reject(unknown(uri, "has no such skill"))
            }
            Err(error @ CallError::Refused { .. }) => {
                let reason = (codes::MCP_SKILL_UNREADABLE, error.to_string());
                builder.reject(rejected(Some(place.package), uri, reason))
            }
            Err(error) => return Err(error),
        };
        if added.is_break() {
            builder.truncate();
            break;
        }
    }
    Ok(())
}

/// Returns the report of a named skill that the server does not have. An earlier version of it is
/// not kept.
fn unknown(uri: &str, reason: &str) -> Rejected {
    let reason = format!("{} cannot be used: the server {reason}", quoted(uri));
    let mut rejected = rejected(None, "", (codes::MCP_SKILL_UNKNOWN, reason));
    rejected.finding.help = "correct the URI in the configuration, or remove it".into();
    rejected
}
