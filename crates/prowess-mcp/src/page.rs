//! Pages of lists.

use rmcp::ErrorData;
use rmcp::model::PaginatedRequestParams;

/// One page, and the cursor of the next one; `None` after the last.
pub(crate) struct Page<T> {
    pub(crate) items: Vec<T>,
    pub(crate) next: Option<String>,
}

/// The start of every cursor.
const MARK: &str = "after:";

/// Returns the page of a sorted list that a cursor asks for. A cursor is the key of the last item
/// before the page, so it stays valid if the list changes.
///
/// # Errors
///
/// The cursor is none of this server.
pub(crate) fn page<T>(
    items: Vec<T>,
    key: impl Fn(&T) -> &str,
    cursor: Option<&str>,
    size: usize,
) -> Result<Page<T>, ErrorData> {
    let after = match cursor {
        None => None,
        Some(cursor) => Some(cursor.strip_prefix(MARK).ok_or_else(unknown_cursor)?.to_owned()),
    };
    let is_after = |item: &T| after.as_deref().is_none_or(|after| key(item) > after);
    let mut rest = items.into_iter().filter(is_after);
    let items: Vec<_> = rest.by_ref().take(size.max(1)).collect();
    let last = items.last().filter(|_| rest.next().is_some());
    let next = last.map(|last| format!("{MARK}{}", key(last)));
    Ok(Page { items, next })
}

pub(crate) fn cursor(request: Option<&PaginatedRequestParams>) -> Option<String> {
    request.and_then(|request| request.cursor.clone())
}

/// Returns an error if a list with one page is asked for another.
pub(crate) fn only_page(cursor: Option<&str>) -> Result<(), ErrorData> {
    if cursor.is_some() { Err(unknown_cursor()) } else { Ok(()) }
}

fn unknown_cursor() -> ErrorData {
    ErrorData::invalid_params("unknown cursor: start again without one", None)
}
