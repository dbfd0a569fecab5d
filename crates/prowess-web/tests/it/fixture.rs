//! A server over values in memory, and a client that writes requests of its own.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use prowess_web::{Decision, Desk, Refusal, RefusalKind, Scope, Shown, View, WebError, WebServer};
use serde_json::{Value, json};
use tokio::sync::oneshot;

/// The paths of all pages, with parameters for what needs some.
pub(crate) const PATHS: &str = "/ /approvals?all=1 /approval?id=a1 /proposals?all=1 \
    /proposal?id=p1 /skills?q=pdf /skill?id=pdf /explain?id=pdf /history?id=pdf \
    /difference?id=pdf&from=1&to=2 /sessions /audit /chain /stats /health /trust /quarantine";

/// Values in memory.
#[derive(Default)]
pub(crate) struct Memory {
    /// One entry of an approval; a decision sets its state.
    pub(crate) approval: Mutex<Value>,
    pub(crate) proposal: Mutex<Value>,
    pub(crate) skills: Vec<Value>,
    /// The text that replaces each text of a value.
    pub(crate) text: Mutex<Option<String>>,
    /// The number of decisions.
    pub(crate) decided: Mutex<Vec<String>>,
    /// Whether another person decides just before each decision.
    pub(crate) is_raced: bool,
}

pub(crate) fn memory() -> Memory {
    let approval = values()["approval"].take();
    let proposal = Mutex::new(proposal("@@\n a\n-one old word\n+one new word\n", "same"));
    Memory {
        approval: Mutex::new(approval),
        proposal,
        skills: vec![skill("pdf")],
        ..Memory::default()
    }
}

pub(crate) fn proposal(diff: &str, base_state: &str) -> Value {
    let mut proposal = values()["proposal"].take();
    proposal["diff"] = diff.into();
    proposal["base_state"] = base_state.into();
    proposal["gains"][0] = "x".repeat(300).into();
    proposal
}

pub(crate) fn skill(id: &str) -> Value {
    let skill = values()["record"].to_string().replace("ID", id);
    serde_json::from_str(&skill).expect("JSON")
}

fn values() -> Value {
    serde_json::from_str(include_str!("values.json")).expect("JSON")
}

impl Memory {
    fn value(&self, view: &View<'_>) -> Result<Value, Refusal> {
        let approval = || self.approval.lock().expect("no panic").clone();
        let name = match *view {
            View::Approvals { .. } => return Ok(json!({ "approvals": [approval()] })),
            View::Approval("a1") => return Ok(json!({ "approval": approval() })),
            View::Proposal("p1") => {
                return Ok(json!({ "proposal": *self.proposal.lock().expect("no panic") }));
            }
            View::Proposals { .. } => "proposals",
            View::History(_) => "history",
            View::Difference { .. } => "difference",
            View::Quarantine => "quarantine",
            View::Catalog { .. } => "catalog",
            View::Skill(_) => "skill",
            View::Explanation(_) => "explanation",
            View::Audit { .. } => "audit",
            View::Chain => "chain",
            View::Statistics => "statistics",
            View::Health { .. } => "health",
            View::Trust => "trust",
            _ => {
                let is_busy = *view == View::Approval("busy");
                let kind = if is_busy { RefusalKind::Busy } else { RefusalKind::Missing };
                return Err(Refusal {
                    kind,
                    code: "approval-not-found".into(),
                    message: "there is no approval `a2`".into(),
                    help: "look at the list".into(),
                });
            }
        };
        let mut value = values()[name].take();
        if let View::Catalog { from, .. } = *view {
            let end = self.skills.len().min(from + 50);
            value["skills"] = json!(self.skills.get(from..end).unwrap_or_default());
        } else if let View::Skill(_) = view {
            value["record"] = self.skills[0].clone();
            value["resources"] = json!(self.skills);
        }
        Ok(value)
    }
}

/// Replaces each text, also the names of fields that are names of tools or skills.
fn replaced(value: &mut Value, by: &str) {
    match value {
        Value::String(text) => *text = by.to_owned(),
        Value::Array(items) => items.iter_mut().for_each(|item| replaced(item, by)),
        Value::Object(fields) => {
            for name in ["Bash", "pdf"] {
                if let Some(field) = fields.remove(name) {
                    fields.insert(by.to_owned(), field);
                }
            }
            fields.values_mut().for_each(|field| replaced(field, by));
        }
        _ => {}
    }
}

impl Desk for Memory {
    fn view(&self, view: &View<'_>) -> Result<Shown, Refusal> {
        let mut value = self.value(view)?;
        if let Some(text) = &*self.text.lock().expect("no panic") {
            replaced(&mut value, text);
        }
        let next = match *view {
            View::Catalog { from, .. } => Some(from + 50).filter(|end| *end < self.skills.len()),
            _ => None,
        };
        let as_of = matches!(view, View::Health { .. }).then(|| "2026-11-29T10:00:00Z".to_owned());
        Ok(Shown { value, next: next.map(|next| next as u64), as_of })
    }

    fn decide(&self, decision: &Decision<'_>) -> Result<Value, Refusal> {
        let mut approval = self.approval.lock().expect("no panic");
        if self.is_raced {
            approval["state"] = "denied".into();
            approval["by"] = "another".into();
            return Err(Refusal {
                kind: RefusalKind::Conflict,
                code: "approval-state".into(),
                message: "it is denied".into(),
                help: "look at it".into(),
            });
        }
        approval["state"] = match decision {
            Decision::Grant(_, Scope::Once) => "granted".into(),
            Decision::Deny(_) => "denied".into(),
            _ => "other".into(),
        };
        self.decided.lock().expect("no panic").push(format!("{decision:?}"));
        Ok(json!({ "decided": *approval }))
    }
}

/// A server, and the cookie of its session.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) memory: Arc<Memory>,
    pub(crate) entrance: String,
    pub(crate) cookie: String,
    /// The directory of the pages.
    pub(crate) directory: String,
    end: Option<oneshot::Sender<()>>,
    serving: Option<JoinHandle<Result<(), WebError>>>,
}

impl Server {
    /// Starts a server without a session.
    pub(crate) fn locked(memory: Memory) -> Self {
        Self::locked_under(memory, &[])
    }

    /// Starts a server that has further names.
    pub(crate) fn locked_under(memory: Memory, hosts: &[&str]) -> Self {
        let server = WebServer::bind((Ipv4Addr::LOCALHOST, 0).into()).expect("the port opens");
        let server = server.allow_hosts(hosts.iter().map(|host| (*host).to_owned()).collect());
        let (address, entrance) = (server.address(), server.entrance());
        let entrance = entrance.split_once(&address.to_string()).expect("its address").1.to_owned();
        let memory = Arc::new(memory);
        let desk: Arc<dyn Desk> = Arc::clone(&memory) as _;
        let (end, ended) = oneshot::channel::<()>();
        let serving =
            std::thread::spawn(move || server.serve_until(desk, async { drop(ended.await) }));
        let (end, serving, cookie) = (Some(end), Some(serving), String::new());
        let directory = entrance.split_once("/enter?").expect("a path").0.to_owned();
        Self { address, memory, entrance, cookie, directory, end, serving }
    }

    pub(crate) fn start(memory: Memory) -> Self {
        let mut server = Self::locked(memory);
        let answer = server.get(&server.entrance.clone());
        let cookie = answer.header("set-cookie").expect("a cookie");
        server.cookie = cookie.split(';').next().expect("a pair").to_owned();
        server
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.send("GET", path, "", "")
    }

    /// Returns all parts of a page, each of which is small.
    pub(crate) fn parts(&self, path: &str) -> Vec<Answer> {
        let mut parts = vec![self.get(path)];
        while let Some(part) = parts.last() {
            assert!(part.body().len() <= prowess_web::PAGE_BYTES, "{path}: {part:?}");
            let more = part.body().split_once("class=\"more\"><a href=\"");
            let Some((next, _)) = more.and_then(|(_, more)| more.split_once('"')) else { break };
            parts.push(self.get(&next.replace("&amp;", "&")));
        }
        parts
    }

    pub(crate) fn json(&self, path: &str) -> Value {
        let answer = self.send("GET", path, "Accept: application/json\r\n", "");
        serde_json::from_str(answer.body()).expect("JSON")
    }

    /// Sends a form as a browser does.
    pub(crate) fn post(&self, path: &str, form: &str) -> Answer {
        let origin = format!("Origin: http://{}\r\n", self.address);
        self.send("POST", path, &origin, form)
    }

    /// Sends a request with further headers. A header `Host` replaces the own one.
    pub(crate) fn send(&self, method: &str, path: &str, headers: &str, form: &str) -> Answer {
        let host = match headers.contains("Host:") {
            true => String::new(),
            false => format!("Host: {}\r\n", self.address),
        };
        let Self { cookie, directory, .. } = self;
        let path = path.strip_prefix('.').unwrap_or(path);
        let is_inside = path.starts_with('/') && !cookie.is_empty() && path != self.entrance;
        let directory = if is_inside { directory } else { "" };
        let request = format!(
            "{method} {directory}{path} HTTP/1.1\r\n{host}Cookie: other=1; {cookie}\r\nConnection: close\r\n\
             {headers}Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n\
             {form}",
            form.len()
        );
        let mut stream = TcpStream::connect(self.address).expect("the server listens");
        stream.write_all(request.as_bytes()).expect("it reads");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("it answers");
        Answer(String::from_utf8(answer).expect("UTF-8"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end.take();
        let served = self.serving.take().map(JoinHandle::join);
        assert!(matches!(served, Some(Ok(Ok(())))), "the server ends well");
    }
}

/// An answer with its head.
#[derive(Debug)]
pub(crate) struct Answer(pub(crate) String);

impl Answer {
    pub(crate) fn status(&self) -> u16 {
        self.0.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("a status")
    }

    pub(crate) fn body(&self) -> &str {
        self.0.split_once("\r\n\r\n").expect("a head").1
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let head = self.0.split_once("\r\n\r\n").expect("a head").0;
        head.lines()
            .filter_map(|line| line.split_once(": "))
            .find(|(it, _)| *it == name)
            .map(|it| it.1)
    }

    /// Returns the hidden fields of the first form that decides, as a form.
    pub(crate) fn form(&self) -> String {
        let body = self.body().split_once("method=\"post\"").expect("a form").1;
        let body = body.split_once("</form>").expect("its end").0;
        let fields = body.split("name=\"").skip(1).filter_map(|field| {
            let (name, rest) = field.split_once("\" value=\"")?;
            let value = rest.split_once('"')?.0;
            (name != "decision").then(|| format!("{name}={}&", value.replace('%', "%25")))
        });
        fields.collect()
    }

    /// Returns the names of elements and attributes, in their order, without those of the lines and
    /// words of a difference.
    pub(crate) fn shape(&self) -> Vec<String> {
        let page = self.body().split_once("<!DOCTYPE html>\n").expect("a document").1;
        let document = roxmltree::Document::parse(page)
            .unwrap_or_else(|error| panic!("a reader of XML takes the page: {error}\n{page}"));
        let is_line = |name: &str| ["ins", "del", "mark"].contains(&name);
        let elements = document.descendants().filter(roxmltree::Node::is_element);
        let elements = elements.filter(|element| !is_line(element.tag_name().name()));
        let shape = elements.map(|element| {
            let names: Vec<_> = element.attributes().map(|it| it.name().to_owned()).collect();
            let depth = element.ancestors().count();
            format!("{depth} {} {}", element.tag_name().name(), names.join(" "))
        });
        shape.collect()
    }
}
