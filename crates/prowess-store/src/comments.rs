//! Comments that people write into lock files.

use std::collections::BTreeMap;

use toml_edit::{Decor, DocumentMut, Item, RawString, Table, Value};

/// The comments next to the parts of a table, by the path of each part. They are not a part of the
/// table's value, so tables that differ in nothing else are equal.
#[derive(Clone, Debug, Default)]
pub(crate) struct Comments(BTreeMap<Vec<String>, Comment>);

/// The comments next to one key or header, with their line ends.
#[derive(Clone, Debug, Default)]
struct Comment {
    before: String,
    after: String,
}

/// The comments of a lock.
#[derive(Default)]
pub(crate) struct LockComments {
    /// Those outside of skills.
    pub(crate) head: Comments,
    /// Those of each skill, by its id.
    pub(crate) skills: BTreeMap<String, Comments>,
}

impl LockComments {
    /// Reads the comments of a text except its heading.
    pub(crate) fn read(text: &str, heading: &str) -> Self {
        // Most locks have no other comment, and need no second parser.
        if text.matches('#').count() == heading.matches('#').count() && text.starts_with(heading) {
            return Self::default();
        }
        let Ok(mut document) = text.replacen(heading, "", 1).parse::<DocumentMut>() else {
            return Self::default();
        };
        let skills = document.remove("skill");
        let skills = skills.iter().filter_map(Item::as_table).flat_map(Table::iter);
        let of_skill =
            |(id, item): (&str, &Item)| Some((id.to_owned(), Comments::of(item.as_table()?)));
        let skills = skills.filter_map(of_skill).collect();
        let mut head = Comments::of(document.as_table());
        head.add(&[], "", text_of(Some(document.trailing())));
        Self { head, skills }
    }
}

impl Comments {
    fn of(table: &Table) -> Self {
        let mut comments = Self::default();
        comments.add_around(&[], table.decor());
        comments.collect(table, &mut Vec::new());
        comments
    }

    fn collect(&mut self, table: &Table, path: &mut Vec<String>) {
        for (name, item) in table {
            path.push(name.to_owned());
            match item {
                Item::Value(value) => {
                    let key = table.key(name).and_then(|key| key.leaf_decor().prefix());
                    let before = format!("{}{}", text_of(key), comments_inside(value));
                    self.add(path, &before, text_of(value.decor().suffix()));
                }
                Item::Table(inner) => self.collect_table(inner, path),
                Item::ArrayOfTables(tables) => {
                    for (at, inner) in tables.iter().enumerate() {
                        path.push(at.to_string());
                        self.collect_table(inner, path);
                        path.pop();
                    }
                }
                Item::None => {}
            }
            path.pop();
        }
    }

    fn collect_table(&mut self, table: &Table, path: &mut Vec<String>) {
        self.add_around(path, table.decor());
        self.collect(table, path);
    }

    fn add_around(&mut self, path: &[String], decor: &Decor) {
        self.add(path, text_of(decor.prefix()), text_of(decor.suffix()));
    }

    fn add(&mut self, path: &[String], before: &str, after: &str) {
        let [before, after] =
            [before, after].map(|text| if text.contains('#') { text } else { "" });
        if !before.is_empty() || !after.is_empty() {
            let comment = Comment { before: before.to_owned(), after: after.to_owned() };
            self.0.insert(path.to_owned(), comment);
        }
    }

    /// Adds the comments of another version, where this one has none.
    pub(crate) fn add_missing(&mut self, other: &Self) {
        for (path, comment) in &other.0 {
            self.0.entry(path.clone()).or_insert_with(|| comment.clone());
        }
    }

    /// Returns whether there is a comment before the header of the table.
    pub(crate) fn is_before_header(&self) -> bool {
        self.0.get(&[] as &[String]).is_some_and(|comment| !comment.before.is_empty())
    }

    /// Returns the comments after the last table of a lock.
    pub(crate) fn end(&self) -> &str {
        self.0.get(&[] as &[String]).map_or("", |comment| &comment.after)
    }

    /// Returns the text of a document with these comments in the table at a path. A comment next to
    /// something that is no longer there is left out.
    pub(crate) fn write_to(&self, text: String, table: &[&str]) -> String {
        if self.0.is_empty() {
            return text;
        }
        let Ok(mut document) = text.parse::<DocumentMut>() else { return text };
        for (path, comment) in &self.0 {
            let whole: Vec<_> =
                table.iter().copied().chain(path.iter().map(String::as_str)).collect();
            comment.put(document.as_table_mut(), &whole);
        }
        document.to_string()
    }
}

/// Comments do not decide whether two versions of a skill are the same.
impl PartialEq for Comments {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl Comment {
    /// Writes the comment next to the key or header at a path.
    fn put(&self, table: &mut Table, path: &[&str]) {
        let Some((&name, rest)) = path.split_first() else { return };
        let is_value = rest.is_empty() && table.get(name).is_some_and(Item::is_value);
        if is_value
            && !self.before.is_empty()
            && let Some(mut key) = table.key_mut(name)
        {
            key.leaf_decor_mut().set_prefix(&self.before);
        }
        match (table.get_mut(name), rest) {
            (Some(Item::Value(value)), []) if !self.after.is_empty() => {
                value.decor_mut().set_suffix(&self.after);
            }
            (Some(Item::Table(inner)), rest) => self.put_in(inner, rest),
            (Some(Item::ArrayOfTables(tables)), [at, rest @ ..]) => {
                let inner = at.parse().ok().and_then(|at| tables.get_mut(at));
                inner.into_iter().for_each(|inner| self.put_in(inner, rest));
            }
            _ => {}
        }
    }

    fn put_in(&self, table: &mut Table, path: &[&str]) {
        if !path.is_empty() {
            return self.put(table, path);
        }
        if !self.before.is_empty() {
            table.decor_mut().set_prefix(&self.before);
        }
        if !self.after.is_empty() {
            table.decor_mut().set_suffix(&self.after);
        }
    }
}

/// Returns the comments inside an array, each on a line: a lock has its arrays on one line.
fn comments_inside(value: &Value) -> String {
    let Value::Array(array) = value else { return String::new() };
    let mut comments = String::new();
    let mut add = |text: Option<&RawString>| {
        for line in text_of(text).lines().map(str::trim).filter(|line| line.starts_with('#')) {
            comments.push_str(line);
            comments.push('\n');
        }
    };
    for element in array {
        add(element.decor().prefix());
        add(element.decor().suffix());
    }
    add(Some(array.trailing()));
    comments
}

fn text_of(text: Option<&RawString>) -> &str {
    text.and_then(RawString::as_str).unwrap_or_default()
}
