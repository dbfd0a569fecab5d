//! From nodes to data, with the checks that strictyaml makes on the way.

use std::collections::HashSet;

use super::compose::{Node, Value, compose};
use super::mark::{Failure, Mark};
use super::{Crash, Data};

/// Reads a text that ends with U+0000.
pub(crate) fn load(text: &[char]) -> Result<Data, Failure> {
    let Some(root) = compose(text)? else {
        return Ok(Data::Text(String::new()));
    };
    let mut constructor = Constructor { has_list_as_key: false };
    let data = constructor.construct(root)?;
    if constructor.has_list_as_key {
        return Err(Failure::Crash(Crash::ListAsKey));
    }
    Ok(data)
}

struct Constructor {
    /// The tool dies of it, but only once everything else is in order.
    has_list_as_key: bool,
}

impl Constructor {
    fn construct(&mut self, node: Node) -> Result<Data, Failure> {
        match node.value {
            Value::Scalar(text, _) => Ok(Data::Text(text)),
            Value::List(items) => {
                let items: Result<_, _> =
                    items.into_iter().map(|item| self.construct(item)).collect();
                items.map(Data::List)
            }
            Value::Map(pairs) => self.mapping(pairs, node.start),
        }
    }

    fn mapping(&mut self, pairs: Vec<(Node, Node)>, start: Mark) -> Result<Data, Failure> {
        let (merged, pairs): (Vec<_>, Vec<_>) =
            pairs.into_iter().partition(|(key, _)| is_merge(key));
        for (_, value) in merged {
            self.merge(value, start)?;
        }
        let mut seen = HashSet::new();
        let mut data = Vec::with_capacity(pairs.len());
        let mut maps = Vec::new();
        for (key, value) in pairs {
            let key_start = key.start;
            let key_end = key.end;
            let key = self.key(key, start)?;
            if matches!(value.value, Value::Map(_)) {
                maps.push((value.start, value.end));
            }
            let value = self.construct(value)?;
            if !seen.insert(key.clone()) {
                let problem = format!("Duplicate key '{key}' found");
                return Err(Failure::within("While parsing", key_start, problem, key_end));
            }
            data.push((key, value));
        }
        check_indentation(&maps)?;
        Ok(Data::Map(data))
    }

    fn key(&mut self, key: Node, mapping: Mark) -> Result<String, Failure> {
        let start = key.start;
        match self.construct(key)? {
            Data::Text(text) => Ok(text),
            list @ Data::List(_) => {
                self.has_list_as_key = true;
                Ok(list.to_str())
            }
            Data::Map(_) => Err(Failure::within(
                "while constructing a mapping",
                mapping,
                "found unhashable key",
                start,
            )),
        }
    }

    /// A merge key's mappings are read and then lost, as the tool does.
    fn merge(&mut self, value: Node, mapping: Mark) -> Result<(), Failure> {
        let context = "while constructing a mapping";
        match value.value {
            Value::Map(_) => self.construct(value).map(drop),
            Value::List(items) => items.into_iter().try_for_each(|item| match item.value {
                Value::Map(_) => self.construct(item).map(drop),
                _ => {
                    let kind = kind(&item.value);
                    let problem = format!("expected a mapping for merging, but found {kind}");
                    Err(Failure::within(context, mapping, problem, item.start))
                }
            }),
            Value::Scalar(..) => {
                let problem =
                    "expected a mapping or list of mappings for merging, but found scalar";
                Err(Failure::within(context, mapping, problem, value.start))
            }
        }
    }
}

/// All mappings that are values of one mapping begin in one column.
fn check_indentation(maps: &[(Mark, Mark)]) -> Result<(), Failure> {
    let Some(((first, _), others)) = maps.split_first() else {
        return Ok(());
    };
    match others.iter().find(|(start, _)| start.column != first.column) {
        None => Ok(()),
        Some((start, end)) => Err(Failure::within(
            "While parsing",
            *start,
            "Found mapping with indentation inconsistent with previous mapping",
            *end,
        )),
    }
}

fn is_merge(key: &Node) -> bool {
    matches!(&key.value, Value::Scalar(text, true) if text == "<<")
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Scalar(..) => "scalar",
        Value::List(_) => "sequence",
        Value::Map(_) => "mapping",
    }
}
