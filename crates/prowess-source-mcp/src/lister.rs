//! Reads the listing of a server, by whatever it offers.

use std::ops::ControlFlow;

use serde_json::Value;

use crate::call::Call;
use crate::connection::Connection;
use crate::entry;
use crate::error::CallError;
use crate::listing::{Listing, ListingBuilder};
use crate::pages::{Extent, Pages};
use crate::resources;

/// Reads the listing: that of the skills extension, or that of the resources of an older server.
pub(crate) fn list(
    connection: &mut Connection,
    mut builder: ListingBuilder<'_>,
    call: &Call<'_>,
) -> Result<Listing, CallError> {
    if connection.offers.skills {
        let pages = Pages { method: "skills/list", key: "skills" };
        let mut add = |entry: &Value| add(&mut builder, entry);
        if pages.read(connection, &mut add, call)? == Extent::Truncated {
            builder.truncate();
        }
    } else if connection.offers.resources {
        resources::list(connection, &mut builder, call)?;
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
