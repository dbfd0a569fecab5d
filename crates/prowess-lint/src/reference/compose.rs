//! From tokens to nodes, in the order in which the tool's parser asks for tokens.

use super::Crash;
use super::mark::{Failure, Mark};
use super::python::repr;
use super::scanner::{Kind, Scanner, Token};

/// Python's recursion ends near 250 levels. Ours ends earlier, so that it needs little stack; no
/// frontmatter that means anything lies between the two.
const MAX_DEPTH: usize = 100;

/// The tool has no bound on keys and values; this one keeps hostile files cheap.
const MAX_NODES: usize = 20_000;

/// A value with its place.
pub(crate) struct Node {
    pub(crate) value: Value,
    pub(crate) start: Mark,
    pub(crate) end: Mark,
}

pub(crate) enum Value {
    /// A text, and whether it is plain.
    Scalar(String, bool),
    List(Vec<Node>),
    Map(Vec<(Node, Node)>),
}

/// The root of the only document; nothing where the text has no token.
pub(crate) fn compose(text: &[char]) -> Result<Option<Node>, Failure> {
    let mut parser = Parser { scanner: Scanner::new(text), depth: 0, nodes: 0 };
    parser.scanner.get()?;
    parser.scanner.peek()?;
    let Some(start) = parser.document_start()? else {
        return Ok(None);
    };
    let root = match start {
        Start::Implicit(_) => parser.node(false)?,
        Start::Explicit(_) => parser.content()?,
    };
    parser.scanner.peek()?;
    if parser.scanner.check(&[Kind::DocumentEnd])? {
        parser.scanner.get()?;
    }
    match parser.document_start()? {
        None => Ok(Some(root)),
        Some(Start::Implicit(next) | Start::Explicit(next)) => Err(Failure::within(
            "expected a single document in the stream",
            root.start,
            "but found another document",
            next,
        )),
    }
}

/// How a document begins.
enum Start {
    Implicit(Mark),
    Explicit(Mark),
}

struct Parser<'t> {
    scanner: Scanner<'t>,
    depth: usize,
    nodes: usize,
}

impl Parser<'_> {
    fn document_start(&mut self) -> Result<Option<Start>, Failure> {
        use Kind::{Directive, DocumentEnd, DocumentStart, StreamEnd};
        if !self.scanner.check(&[Directive, DocumentStart, StreamEnd])? {
            return Ok(Some(Start::Implicit(self.scanner.peek()?.start)));
        }
        while self.scanner.check(&[DocumentEnd])? {
            self.scanner.get()?;
        }
        if self.scanner.check(&[StreamEnd])? {
            return Ok(None);
        }
        let start = self.scanner.peek()?.start;
        self.directives()?;
        if !self.scanner.check(&[DocumentStart])? {
            let token = self.scanner.peek()?;
            let problem = format!("expected '<document start>', but found {}", repr(token.id()));
            return Err(Failure::at(token.start, problem));
        }
        self.scanner.get()?;
        Ok(Some(Start::Explicit(start)))
    }

    fn directives(&mut self) -> Result<(), Failure> {
        let mut has_version = false;
        while self.scanner.check(&[Kind::Directive])? {
            let token = self.scanner.get()?;
            let Some(major) = token.text.strip_prefix("YAML ") else {
                continue;
            };
            if has_version {
                return Err(Failure::at(token.start, "found duplicate YAML directive"));
            }
            if major != "1" {
                let problem = "found incompatible YAML document (version 1.* is required)";
                return Err(Failure::at(token.start, problem));
            }
            has_version = true;
        }
        Ok(())
    }

    fn content(&mut self) -> Result<Node, Failure> {
        use Kind::{Directive, DocumentEnd, DocumentStart, StreamEnd};
        if self.scanner.check(&[Directive, DocumentStart, DocumentEnd, StreamEnd])? {
            return Ok(empty(self.scanner.peek()?.start));
        }
        self.node(false)
    }

    /// A value; `indentless` says whether a list may begin without indentation.
    fn node(&mut self, indentless: bool) -> Result<Node, Failure> {
        self.depth += 1;
        self.nodes += 1;
        if self.depth > MAX_DEPTH {
            return Err(Failure::Crash(Crash::TooDeep));
        }
        if self.nodes > MAX_NODES {
            return Err(Failure::Crash(Crash::TooLarge));
        }
        let node = self.node_at_depth(indentless);
        self.depth -= 1;
        node
    }

    fn node_at_depth(&mut self, indentless: bool) -> Result<Node, Failure> {
        if self.scanner.check(&[Kind::Alias])? {
            let token = self.scanner.get()?;
            let problem = format!("found undefined alias {}", repr(&token.text));
            return Err(Failure::at(token.start, problem));
        }
        // Looking at one of these is what refuses it.
        self.scanner.check(&[Kind::Anchor])?;
        self.scanner.check(&[Kind::Tag])?;
        let start = self.scanner.peek()?.start;
        if indentless && self.scanner.check(&[Kind::BlockEntry])? {
            return self.indentless_list(start);
        }
        if self.scanner.check(&[Kind::Scalar])? {
            let token = self.scanner.get()?;
            return Ok(Node {
                value: Value::Scalar(token.text, token.is_plain),
                start,
                end: token.end,
            });
        }
        self.scanner.check(&[Kind::FlowSequenceStart])?;
        self.scanner.check(&[Kind::FlowMappingStart])?;
        if self.scanner.check(&[Kind::BlockSequenceStart])? {
            return self.list();
        }
        if self.scanner.check(&[Kind::BlockMappingStart])? {
            return self.mapping();
        }
        let token = self.scanner.peek()?;
        let problem = format!("expected the node content, but found {}", repr(token.id()));
        Err(Failure::within("while parsing a block node", start, problem, token.start))
    }

    fn list(&mut self) -> Result<Node, Failure> {
        let start = self.scanner.get()?.start;
        let mut items = Vec::new();
        while self.scanner.check(&[Kind::BlockEntry])? {
            items.push(self.item(&[Kind::BlockEntry, Kind::BlockEnd])?);
        }
        let token = self.block_end("while parsing a block collection", start)?;
        Ok(Node { value: Value::List(items), start, end: token.end })
    }

    fn indentless_list(&mut self, start: Mark) -> Result<Node, Failure> {
        let mut items = Vec::new();
        while self.scanner.check(&[Kind::BlockEntry])? {
            let ends = [Kind::BlockEntry, Kind::Key, Kind::Value, Kind::BlockEnd];
            items.push(self.item(&ends)?);
        }
        Ok(Node { value: Value::List(items), start, end: self.scanner.peek()?.start })
    }

    fn item(&mut self, ends: &[Kind]) -> Result<Node, Failure> {
        let entry = self.scanner.get()?;
        self.scanner.peek()?;
        if self.scanner.check(ends)? {
            return Ok(empty(entry.end));
        }
        self.node(false)
    }

    fn mapping(&mut self) -> Result<Node, Failure> {
        let start = self.scanner.get()?.start;
        let mut pairs = Vec::new();
        while let Some(key) = self.key()? {
            pairs.push((key, self.value()?));
        }
        let token = self.block_end("while parsing a block mapping", start)?;
        self.scanner.peek()?;
        Ok(Node { value: Value::Map(pairs), start, end: token.end })
    }

    fn key(&mut self) -> Result<Option<Node>, Failure> {
        if self.scanner.check(&[Kind::Key])? {
            let token = self.scanner.get()?;
            self.scanner.peek()?;
            return self.node_or_empty(token.end).map(Some);
        }
        if self.scanner.check(&[Kind::Value])? {
            return Ok(Some(empty(self.scanner.peek()?.start)));
        }
        Ok(None)
    }

    fn value(&mut self) -> Result<Node, Failure> {
        if self.scanner.check(&[Kind::Value])? {
            let token = self.scanner.get()?;
            self.scanner.peek()?;
            return self.node_or_empty(token.end);
        }
        Ok(empty(self.scanner.peek()?.start))
    }

    fn node_or_empty(&mut self, mark: Mark) -> Result<Node, Failure> {
        if self.scanner.check(&[Kind::Key, Kind::Value, Kind::BlockEnd])? {
            return Ok(empty(mark));
        }
        self.node(true)
    }

    fn block_end(&mut self, context: &'static str, start: Mark) -> Result<Token, Failure> {
        if self.scanner.check(&[Kind::BlockEnd])? {
            return self.scanner.get();
        }
        let token = self.scanner.peek()?;
        let problem = format!("expected <block end>, but found {}", repr(token.id()));
        Err(Failure::within(context, start, problem, token.start))
    }
}

fn empty(mark: Mark) -> Node {
    Node { value: Value::Scalar(String::new(), true), start: mark, end: mark }
}
