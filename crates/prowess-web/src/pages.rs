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
    /// The value that it shows; `None` for what waits, which is of several.
    view: Option<ViewOf>,
    write: fn(&mut Html, &Sheet<'_>),
}

type ViewOf = for<'q> fn(&'q Form) -> View<'q>;

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
    view: ViewOf,
    write: fn(&mut Html, &Sheet<'_>),
) -> Page {
    Page { path, title, view: Some(view), write }
}

/// The number of pages in the menu, which need no parameter.
const ENTRIES: usize = 9;

/// Every page, in the order of the menu.
static PAGES: [Page; 17] = [
    Page { path: "/", title: "Waiting for you", view: None, write: waiting::write },
    page("/approvals", "Approvals", approvals::all, approvals::write_all),
    page("/proposals", "Proposals", proposals::all, proposals::write_all),
    page("/skills", "Skills", catalog::all, catalog::write_all),
    page("/sessions", "Sessions", audit::view, audit::write_sessions),
    page("/audit", "Audit", audit::view, audit::write),
    page("/stats", "Statistics", |_| View::Statistics, audit::write_statistics),
    page("/health", "Health", |_| View::Health { last: false }, health::write),
    page("/trust", "Trust", |_| View::Trust, health::write_trust),
    page("/approval", "Approval", |form| View::Approval(form.get("id")), approvals::write),
    page("/proposal", "Proposal", |form| View::Proposal(form.get("id")), proposals::write),
    page("/skill", "Skill", |form| View::Skill(form.get("id")), catalog::write),
    page("/explain", "Decisions about a skill", catalog::reasons, catalog::write_reasons),
    page("/history", "History of a skill", changes::history, changes::write_history),
    page("/difference", "Difference", changes::difference, changes::write_difference),
    page("/chain", "Chain of the audit log", |_| View::Chain, audit::write_chain),
    page("/quarantine", "Quarantine", |_| View::Quarantine, health::write_quarantine),
];

impl Context<'_> {
    /// Returns the page at a path.
    pub(crate) fn show(&self, path: &str, query: &Form) -> Answer {
        let Some(page) = PAGES.iter().find(|page| page.path == path) else {
            return refusal(&missing());
        };
        let shown = page
            .view
            .map_or_else(|| Ok(waiting::value(self.desk)), |view| self.desk.view(&view(query)));
        match shown {
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
    let title = if *kind == RefusalKind::Busy { "In a moment" } else { "Not possible" };
    let page = document(title, "", &content);
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
