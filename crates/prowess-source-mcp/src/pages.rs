//! Lists of a server that come in pages.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use prowess_core::Digest;
use serde_json::{Map, Value};

use crate::call::Call;
use crate::connection::Connection;
use crate::error::CallError;

/// The maximum number of pages of a list.
const MOST_PAGES: usize = 2000;

/// A list that is read page by page.
pub(crate) struct Pages {
    pub(crate) method: &'static str,
    /// The key of the items in a result.
    pub(crate) key: &'static str,
}

/// Whether a list was read to its end.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    Whole,
    Truncated,
}

impl Pages {
    /// Reads each page, until `item` has enough.
    pub(crate) fn read(
        &self,
        connection: &mut Connection,
        item: &mut dyn FnMut(&Value) -> ControlFlow<()>,
        call: &Call<'_>,
    ) -> Result<Extent, CallError> {
        let Self { method, key } = *self;
        let mut cursors = BTreeSet::new();
        let mut params = Map::new();
        for _ in 0..MOST_PAGES {
            let result = connection.request(method, params, call)?;
            let items = result[key].as_array().ok_or_else(|| {
                CallError::Invalid(format!("the result of `{method}` has no `{key}`"))
            })?;
            if items.iter().any(|found| item(found).is_break()) {
                return Ok(Extent::Truncated);
            }
            let cursor = match &result["nextCursor"] {
                Value::Null => return Ok(Extent::Whole),
                Value::String(cursor) => cursor.clone(),
                _ => return Err(CallError::Invalid(format!("`{method}` has a bad cursor"))),
            };
            // Pages in a circle would never end.
            if !cursors.insert(*Digest::of(cursor.as_bytes()).as_bytes()) {
                return Ok(Extent::Truncated);
            }
            params = Map::from_iter([("cursor".to_owned(), cursor.into())]);
        }
        Ok(Extent::Truncated)
    }
}
