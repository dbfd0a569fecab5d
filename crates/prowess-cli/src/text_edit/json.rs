//! JSON with comments, trailing commas, and the other texts and numbers of JSON5.

use std::ops::Range;

use serde_json::{Map, Value};

use super::{Change, Fault, array, indentation, inline, line_end, scalar};

/// The deepest nesting that is read.
const MAX_DEPTH: usize = 100;

/// A value and its place.
struct Node {
    span: Range<usize>,
    content: Content,
}

enum Content {
    Object(Vec<Member>),
    Array(Vec<Node>),
    Other(Value),
}

struct Member {
    key: String,
    /// The start of the key.
    start: usize,
    node: Node,
    /// The end of the comma behind it.
    comma: Option<usize>,
}

impl Node {
    fn value(&self) -> Value {
        match &self.content {
            Content::Object(members) => {
                let pairs = members.iter().map(|member| (member.key.clone(), member.node.value()));
                Value::Object(pairs.collect::<Map<_, _>>())
            }
            Content::Array(items) => items.iter().map(Self::value).collect(),
            Content::Other(value) => value.clone(),
        }
    }
}

pub(super) fn read(text: &str) -> Result<Value, Fault> {
    Ok(document(text)?.map_or(Value::Null, |node| node.value()))
}

pub(super) fn set(text: &str, path: &[&str], value: &Value) -> Result<Vec<Change>, Fault> {
    let Some(root) = document(text)? else {
        let new = Layout { end: line_end(text), unit: "  ".to_owned(), is_flow: false };
        let block = new.block("", path, value) + new.end;
        let gap = if text.is_empty() || text.ends_with('\n') { "" } else { new.end };
        return Ok(vec![Change(text.len()..text.len(), format!("{gap}{block}"))]);
    };
    edit(text, &root, path, value, false)
}

/// Sets a value in a mapping in braces of YAML, which begins at this byte.
pub(super) fn set_in_flow(
    text: &str,
    start: usize,
    path: &[&str],
    value: &Value,
) -> Result<Vec<Change>, Fault> {
    let root = Reader { text, at: start, is_flow: true }.node(0)?;
    edit(text, &root, path, value, true)
}

/// Removes a member of such a mapping.
pub(super) fn unset_in_flow(text: &str, start: usize, path: &[&str]) -> Result<Vec<Change>, Fault> {
    Ok(removed(text, Reader { text, at: start, is_flow: true }.node(0)?, path))
}

pub(super) fn unset(text: &str, path: &[&str]) -> Result<Vec<Change>, Fault> {
    Ok(document(text)?.map(|root| removed(text, root, path)).unwrap_or_default())
}

/// Returns the removal of a member, with the comma that its neighbours need no longer.
fn removed(text: &str, mut node: Node, path: &[&str]) -> Vec<Change> {
    for (depth, key) in path.iter().enumerate() {
        let Content::Object(mut members) = node.content else { break };
        let Some(at) = members.iter().rposition(|member| member.key == *key) else { break };
        if depth + 1 == path.len() {
            let member = &members[at];
            let interior = node.span.start + 1..node.span.end - 1;
            let (before, behind) =
                (&text[interior.start..member.start], own_range(text, member).end);
            if members.len() == 1
                && (before.trim().is_empty() && text[behind..interior.end].trim().is_empty())
            {
                return vec![Change(interior, String::new())];
            }
            // The comma before it, which strict JSON does not have behind the last member.
            let comma = at.checked_sub(1).and_then(|before| members[before].comma);
            let comma = comma.filter(|_| member.comma.is_none()).map(|end| end - 1..end);
            let ranges = comma.into_iter().chain([own_range(text, member)]);
            return ranges.map(|range| Change(range, String::new())).collect();
        }
        node = members.swap_remove(at).node;
    }
    Vec::new()
}

/// Returns the bytes of a member: with its comma, a comment behind it, and the blanks before it or,
/// where something else is on its last line, behind it. Other comments are not the member's.
fn own_range(text: &str, member: &Member) -> Range<usize> {
    let end = behind_comment(text, member.comma.unwrap_or(member.node.span.end));
    let before = text[..member.start].trim_end().len();
    let is_alone = text[end..].lines().next().is_none_or(|rest| rest.trim().is_empty());
    let blanks = &text[before..member.start];
    if is_alone || !blanks.is_empty() && !blanks.contains('\n') {
        return before..end;
    }
    member.start..end + text[end..].len() - text[end..].trim_start().len()
}

fn edit(
    text: &str,
    root: &Node,
    path: &[&str],
    value: &Value,
    is_flow: bool,
) -> Result<Vec<Change>, Fault> {
    let layout = Layout::of(text, root, is_flow);
    let mut node = root;
    for (depth, key) in path.iter().enumerate() {
        if matches!(&node.content, Content::Other(Value::Null)) {
            let indent = indentation(text, node.span.start);
            let block = layout.block(indent, &path[depth..], value);
            return Ok(vec![Change(node.span.clone(), block)]);
        }
        let Content::Object(members) = &node.content else {
            let message = format!("expected an object, to which `{key}` is added");
            return Err(Fault::new(node.span.start, message));
        };
        // Of two equal keys, readers take the last.
        match members.iter().rfind(|member| member.key == *key) {
            Some(member) => node = &member.node,
            None => return Ok(layout.insert(text, node, members, &path[depth..], value)),
        }
    }
    let kept = match &node.content {
        Content::Array(items) if !is_flow => {
            let items: Vec<_> = items.iter().map(|it| (it.span.clone(), it.value())).collect();
            array::with_comments(text, &node.span, &items, value)
        }
        _ => None,
    };
    Ok(vec![Change(node.span.clone(), kept.unwrap_or_else(|| layout.value(value)))])
}

/// How a file is laid out.
struct Layout {
    end: &'static str,
    /// The blanks of one level.
    unit: String,
    /// Whether this is YAML, in which simple words have no quotes.
    is_flow: bool,
}

impl Layout {
    fn of(text: &str, root: &Node, is_flow: bool) -> Self {
        let unit = match &root.content {
            Content::Object(members) => members.first().map(|first| indentation(text, first.start)),
            _ => None,
        };
        let unit = unit.filter(|unit| !unit.is_empty()).unwrap_or("  ").to_owned();
        Self { end: line_end(text), unit, is_flow }
    }

    fn value(&self, value: &Value) -> String {
        if self.is_flow { scalar(value) } else { inline(value) }
    }

    /// Returns a key with its value, on one line.
    fn pair(&self, path: &[&str], value: &Value) -> String {
        let value = path[1..].iter().rfold(self.value(value), |value, key| {
            format!("{{{}: {value}}}", self.value(&Value::from(*key)))
        });
        format!("{}: {value}", self.value(&Value::from(path[0])))
    }

    /// Returns an object with one value in it, over several lines.
    fn block(&self, indent: &str, path: &[&str], value: &Value) -> String {
        let Self { end, unit, .. } = self;
        let inner = format!("{indent}{unit}");
        format!("{{{end}{inner}{}{end}{indent}}}", self.member(&inner, path, value))
    }

    /// Returns a key with its value, without the blanks before it.
    fn member(&self, indent: &str, path: &[&str], value: &Value) -> String {
        let value = match &path[1..] {
            [] => self.value(value),
            rest => self.block(indent, rest, value),
        };
        format!("{}: {value}", self.value(&Value::from(path[0])))
    }

    /// Returns the insertions of a member at the end of an object.
    fn insert(
        &self,
        text: &str,
        object: &Node,
        members: &[Member],
        path: &[&str],
        value: &Value,
    ) -> Vec<Change> {
        let Self { end, unit, .. } = self;
        let at = |at: usize, new: String| Change(at..at, new);
        let outer = indentation(text, object.span.start);
        let Some(last) = members.last() else {
            let interior = object.span.start + 1..object.span.end - 1;
            if self.is_flow {
                return vec![Change(interior, format!(" {} ", self.pair(path, value)))];
            }
            let indent = format!("{outer}{unit}");
            let member = self.member(&indent, path, value);
            return match text[interior.clone()].contains('\n') {
                true => {
                    let start = behind_comment(text, interior.start);
                    vec![at(start, format!("{end}{indent}{member}"))]
                }
                false => vec![at(interior.end, format!("{end}{indent}{member}{end}{outer}"))],
            };
        };
        let anchor = last.comma.unwrap_or(last.node.span.end);
        let rest = &text[anchor..object.span.end - 1];
        let is_line = !text[object.span.start..members[0].start].contains('\n');
        if is_line && (rest.trim().is_empty() || !rest.contains('\n')) {
            let [before, behind] = if last.comma.is_some() { ["", ","] } else { [",", ""] };
            let end = anchor + rest.trim_end().len();
            let member = format!(" {}{behind}", self.pair(path, value));
            return vec![at(anchor, before.to_owned()), at(end, member)];
        }
        let is_first = text[..last.start].trim_end_matches([' ', '\t']).ends_with('\n');
        let indent = match is_first {
            true => indentation(text, last.start).to_owned(),
            false => format!("{outer}{unit}"),
        };
        let member = self.member(&indent, path, value);
        let behind = behind_comment(text, anchor);
        match last.comma {
            Some(_) => vec![at(behind, format!("{end}{indent}{member},"))],
            None if behind == anchor => vec![at(anchor, format!(",{end}{indent}{member}"))],
            None => vec![at(anchor, ",".to_owned()), at(behind, format!("{end}{indent}{member}"))],
        }
    }
}

/// Returns the end of a comment behind a value, if the rest of the line is one.
fn behind_comment(text: &str, at: usize) -> usize {
    let line = text[at..].lines().next().unwrap_or_default();
    let rest = line.trim();
    let is_block = rest.starts_with("/*") && rest.find("*/") == rest.len().checked_sub(2);
    if rest.starts_with("//") || is_block { at + line.trim_end().len() } else { at }
}

fn document(text: &str) -> Result<Option<Node>, Fault> {
    let mut reader = Reader { text, at: 0, is_flow: false };
    reader.skip_blanks()?;
    if reader.peek().is_none() {
        return Ok(None);
    }
    let node = reader.node(0)?;
    reader.skip_blanks()?;
    match reader.peek() {
        None => Ok(Some(node)),
        Some(_) => Err(reader.fault("expected the end of the file")),
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    /// Whether a word without quotes is any text, as in YAML.
    is_flow: bool,
}

impl<'t> Reader<'t> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn fault(&self, message: &str) -> Fault {
        Fault::new(self.at, message)
    }

    fn takes(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    /// Skips blanks and comments.
    fn skip_blanks(&mut self) -> Result<(), Fault> {
        loop {
            let rest = &self.text[self.at..];
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            if trimmed.starts_with("//") {
                self.at += trimmed.find('\n').unwrap_or(trimmed.len());
            } else if let Some(comment) = trimmed.strip_prefix("/*") {
                let end = comment.find("*/").ok_or_else(|| self.fault("a comment has no end"))?;
                self.at += end + 4;
            } else {
                return Ok(());
            }
        }
    }

    fn node(&mut self, depth: usize) -> Result<Node, Fault> {
        if depth > MAX_DEPTH {
            return Err(self.fault("the values are nested too deeply"));
        }
        let start = self.at;
        let content = match self.peek() {
            Some(b'{') => Content::Object(self.members(depth)?),
            Some(b'[') => Content::Array(self.items(depth)?),
            Some(b'"' | b'\'') => Content::Other(Value::String(self.string()?)),
            _ => Content::Other(self.word()?),
        };
        Ok(Node { span: start..self.at, content })
    }

    fn members(&mut self, depth: usize) -> Result<Vec<Member>, Fault> {
        self.at += 1;
        let mut members: Vec<Member> = Vec::new();
        loop {
            self.skip_blanks()?;
            if self.takes(b'}') {
                return Ok(members);
            }
            if members.last().is_some_and(|last| last.comma.is_none()) {
                return Err(self.fault("expected `,` or `}`"));
            }
            let start = self.at;
            let key = match self.peek() {
                Some(b'"' | b'\'') => self.string()?,
                _ => self.bare().to_owned(),
            };
            self.skip_blanks()?;
            if (key.is_empty() && self.at == start) || !self.takes(b':') {
                return Err(self.fault("expected a key and `:`"));
            }
            self.skip_blanks()?;
            let node = self.node(depth + 1)?;
            self.skip_blanks()?;
            let comma = self.takes(b',').then_some(self.at);
            members.push(Member { key, start, node, comma });
        }
    }

    fn items(&mut self, depth: usize) -> Result<Vec<Node>, Fault> {
        self.at += 1;
        let (mut items, mut is_open) = (Vec::new(), true);
        loop {
            self.skip_blanks()?;
            if self.takes(b']') {
                return Ok(items);
            }
            if !is_open {
                return Err(self.fault("expected `,` or `]`"));
            }
            items.push(self.node(depth + 1)?);
            self.skip_blanks()?;
            is_open = self.takes(b',');
        }
    }

    fn string(&mut self) -> Result<String, Fault> {
        let rest = &self.text[self.at..];
        let quote = rest.as_bytes()[0];
        let mut bytes = rest.bytes().enumerate().skip(1);
        let end = loop {
            match bytes.next() {
                Some((_, b'\\')) => drop(bytes.next()),
                Some((end, byte)) if byte == quote => break end,
                Some((_, b'\n')) | None => return Err(self.fault("a text has no end")),
                Some(_) => {}
            }
        };
        let inner = &rest[1..end];
        let inner = match quote {
            b'"' => inner.to_owned(),
            _ => inner.replace("\\'", "'").replace("\\\"", "\"").replace('"', "\\\""),
        };
        let text = serde_json::from_str(&format!("\"{inner}\""));
        let text = text.map_err(|_| self.fault("this text is not valid JSON"))?;
        self.at += end + 1;
        Ok(text)
    }

    /// Takes the letters of a key or word without quotes.
    fn bare(&mut self) -> &'t str {
        let rest = &self.text[self.at..];
        let is_of_word = |letter: char| letter.is_alphanumeric() || "_$+-.".contains(letter);
        let is_end = |(at, letter): &(usize, char)| match self.is_flow {
            // A colon inside a word is part of it, as in a URL.
            true if *letter == ':' => rest[at + 1..].starts_with([' ', ',', '}', ']', '\r', '\n']),
            true => ",{}[]\n".contains(*letter),
            false => !is_of_word(*letter),
        };
        let word = &rest[..rest.char_indices().find(is_end).map_or(rest.len(), |(at, _)| at)];
        let word = word.trim_end();
        self.at += word.len();
        word
    }

    fn word(&mut self) -> Result<Value, Fault> {
        let start = self.at;
        let word = self.bare();
        if self.is_flow {
            return Ok(Value::from(word));
        }
        if let Ok(value) = serde_json::from_str(word) {
            return Ok(value);
        }
        let digits = word.trim_start_matches(['+', '-']);
        let hexadecimal = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
        let is_number = hexadecimal.is_some_and(|digits| u128::from_str_radix(digits, 16).is_ok())
            || (digits.parse::<f64>().is_ok() && digits != "inf" && digits != "nan");
        // No value of ours is such a number: it only has to stay the same.
        is_number.then(|| Value::from(word)).ok_or_else(|| Fault::new(start, "expected a value"))
    }
}
