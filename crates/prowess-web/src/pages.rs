//! The pages, by their paths.

mod approvals;
mod audit;
mod catalog;
mod changes;
mod decide;
mod health;
mod parts;
mod proposals;
mod waiting;

use hyper::StatusCode;
use serde_json::{Value, json};

use crate::form::Form;
use crate::html::Html;
use crate::{Desk, Refusal, RefusalKind, Shown, View};

use parts::document;

/// The answer to a request, in both forms.
#[derive(Default)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) value: Value,
    /// The document of HTML, unless JSON is wanted.
    pub(crate) page: String,
    /// The page to go to instead.
    pub(crate) location: Option<String>,
    /// Where the next part of the value begins.
    pub(crate) next: Option<u64>,
    /// The time that the value is of.
    pub(crate) as_of: Option<String>,
}

/// The parts from which a page is made.
pub(crate) struct Context<'c> {
    pub(crate) desk: &'c dyn Desk,
    /// The token of the session's forms.
    pub(crate) token: &'c str,
    pub(crate) is_json: bool,
}

/// A page with a URL.
struct Page {
    path: &'static str,
    title: &'static str,
    /// Whether it is in the menu, which has only pages that need no parameter.
    is_entry: bool,
    value: fn(&dyn Desk, &Form) -> Result<Shown, Refusal>,
    write: fn(&mut Html, &Sheet<'_>),
}

/// The content of a page.
struct Sheet<'s> {
    shown: &'s Shown,
    query: &'s Form,
    token: &'s str,
}

impl Sheet<'_> {
    /// Returns the position of the first row.
    fn from(&self) -> usize {
        self.query.number("from").unwrap_or_default()
    }
}

const fn page(
    path: &'static str,
    title: &'static str,
    is_entry: bool,
    value: fn(&dyn Desk, &Form) -> Result<Shown, Refusal>,
    write: fn(&mut Html, &Sheet<'_>),
) -> Page {
    Page { path, title, is_entry, value, write }
}

/// Every page, in the order of the menu.
static PAGES: [Page; 17] = [
    page("/", "Waiting for you", true, waiting::value, waiting::write),
    page("/approvals", "Approvals", true, approvals::values, approvals::write_all),
    page("/approval", "Approval", false, approvals::value, approvals::write),
    page("/proposals", "Proposals", true, proposals::values, proposals::write_all),
    page(
        "/proposal",
        "Proposal",
        false,
        |desk, query| desk.view(&View::Proposal(query.get("id"))),
        proposals::write,
    ),
    page("/skills", "Skills", true, catalog::values, catalog::write_all),
    page(
        "/skill",
        "Skill",
        false,
        |desk, query| desk.view(&View::Skill(query.get("id"))),
        catalog::write,
    ),
    page(
        "/explain",
        "Decisions about a skill",
        false,
        |desk, query| desk.view(&View::Explanation(query.get("id"))),
        catalog::write_reasons,
    ),
    page(
        "/history",
        "History of a skill",
        false,
        |desk, query| desk.view(&View::History(query.get("id"))),
        changes::write_history,
    ),
    page("/difference", "Difference", false, changes::difference, changes::write_difference),
    page("/sessions", "Sessions", true, audit::value, audit::write_sessions),
    page("/audit", "Audit", true, audit::value, audit::write),
    page(
        "/chain",
        "Chain of the audit log",
        false,
        |desk, _| desk.view(&View::Chain),
        audit::write_chain,
    ),
    page(
        "/stats",
        "Statistics",
        true,
        |desk, _| desk.view(&View::Statistics),
        audit::write_statistics,
    ),
    page("/health", "Health", true, |desk, _| desk.view(&View::Health), health::write),
    page("/trust", "Trust", true, |desk, _| desk.view(&View::Trust), health::write_trust),
    page(
        "/quarantine",
        "Quarantine",
        false,
        |desk, _| desk.view(&View::Quarantine),
        health::write_quarantine,
    ),
];

impl Context<'_> {
    /// Returns the page at a path.
    pub(crate) fn show(&self, path: &str, query: &Form) -> Answer {
        let Some(page) = PAGES.iter().find(|page| page.path == path) else {
            return refusal(&missing());
        };
        match (page.value)(self.desk, query) {
            Ok(shown) => self.shown(page, shown, query),
            Err(found) => refusal(&found),
        }
    }

    fn shown(&self, page: &Page, shown: Shown, query: &Form) -> Answer {
        let mut content = Html::default();
        if !self.is_json {
            (page.write)(&mut content, &Sheet { shown: &shown, query, token: self.token });
            if let Some(time) = &shown.as_of {
                content.classed("p", "note", &format!("As of {time}."));
            }
        }
        let page = document(page.title, page.path, &content);
        let Shown { value, next, as_of } = shown;
        Answer { page, value, next, as_of, ..Answer::default() }
    }
}

/// Returns the page of a refusal.
pub(crate) fn refusal(refusal: &Refusal) -> Answer {
    let Refusal { kind, code, message, help } = refusal;
    let status = match kind {
        RefusalKind::Missing => StatusCode::NOT_FOUND,
        RefusalKind::Conflict => StatusCode::CONFLICT,
        RefusalKind::Denied => StatusCode::FORBIDDEN,
        RefusalKind::Invalid => StatusCode::BAD_REQUEST,
        RefusalKind::Busy => StatusCode::SERVICE_UNAVAILABLE,
        RefusalKind::Failed => StatusCode::INTERNAL_SERVER_ERROR,
    };
    let mut content = Html::default();
    parts::write_refusal(&mut content, refusal);
    let value = json!({ "error": { "code": code, "message": message, "help": help } });
    let page = document("Not possible", "", &content);
    Answer { status, value, page, ..Answer::default() }
}

fn missing() -> Refusal {
    Refusal {
        kind: RefusalKind::Missing,
        code: "web-page-missing".to_owned(),
        message: "there is no such page".to_owned(),
        help: "use the menu".to_owned(),
    }
}
