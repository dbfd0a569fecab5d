//! A reader of each format: what a careful program reads in a catalog.

use prowess_prompt::CatalogFormat;

/// Name and description of one skill.
pub(crate) type Read = (String, String);

/// Returns the skills of a catalog without its frame.
#[track_caller]
pub(crate) fn read(text: &str, format: CatalogFormat) -> Vec<Read> {
    let entries = entries(text, format);
    let lines = || entries.lines();
    match format {
        CatalogFormat::XmlElements => elements(text),
        CatalogFormat::XmlAttrs => attributes(text),
        CatalogFormat::Json => lines().map(json).collect(),
        CatalogFormat::QuotedLines => lines().map(|line| between(line, "\"", "\": ")).collect(),
        CatalogFormat::DashLines => lines().map(|line| between(line, "  - ", ": ")).collect(),
        CatalogFormat::Markdown => lines().map(|line| between(line, "- ", ": ")).collect(),
        CatalogFormat::Bullets => lines().map(|line| between(line, "• `", "` — ")).collect(),
        CatalogFormat::Delimited => entries.split("\n---\n").map(fields).collect(),
        _ => panic!("a format without a reader"),
    }
}

/// Returns the lines of the skills between the opening and the closing of a format.
#[track_caller]
pub(crate) fn entries(text: &str, format: CatalogFormat) -> &str {
    let (opening, closing) = match format {
        CatalogFormat::DashLines => ("Available skills:\n", ""),
        CatalogFormat::Bullets => ("[Available Skills]\n", ""),
        CatalogFormat::Delimited => ("<<<AVAILABLE_SKILLS>>>\n", "<<<END_AVAILABLE_SKILLS>>>"),
        _ => ("<available_skills>\n", "</available_skills>"),
    };
    let squeezed: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    if !closing.is_empty() {
        assert_eq!(squeezed.matches(opening.trim_end()).count(), 1, "one opening: {text}");
        assert_eq!(squeezed.matches(closing).count(), 1, "one closing: {text}");
    }
    let text = text.strip_prefix(opening).unwrap_or_else(|| panic!("it opens: {text}"));
    text.strip_suffix(closing).unwrap_or_else(|| panic!("it closes: {text}"))
}

fn elements(text: &str) -> Vec<Read> {
    let document = roxmltree::Document::parse(text).expect("the catalog is XML");
    let skills = document.root_element().children().filter(roxmltree::Node::is_element);
    skills
        .map(|skill| {
            let field = |name| {
                let field = skill.children().find(|child| child.has_tag_name(name));
                field.and_then(|field| field.text()).unwrap_or_default().to_owned()
            };
            assert!(skill.has_tag_name("skill"), "a catalog holds skills only");
            (field("name"), field("description"))
        })
        .collect()
}

fn attributes(text: &str) -> Vec<Read> {
    let document = roxmltree::Document::parse(text).expect("the catalog is XML");
    let skills = document.root_element().children().filter(roxmltree::Node::is_element);
    skills
        .map(|skill| {
            let field = |name| skill.attribute(name).unwrap_or_default().to_owned();
            assert!(skill.has_tag_name("skill") && !skill.has_children(), "skills without content");
            (field("name"), field("description"))
        })
        .collect()
}

fn json(line: &str) -> Read {
    let value: serde_json::Value = serde_json::from_str(line).expect("a line is JSON");
    let field = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
    (field("name"), field("description"))
}

/// Reads a line that begins with `start` and has the description behind the first `end`.
#[track_caller]
fn between(line: &str, start: &str, end: &str) -> Read {
    let line = line.strip_prefix(start).unwrap_or_else(|| panic!("a skill begins: {line}"));
    let end_of_name = end.split(':').next().filter(|quote| !quote.is_empty()).unwrap_or(end);
    let (name, description) = line.split_once(end).unwrap_or_else(|| {
        (line.strip_suffix(end_of_name.trim_end_matches(" — ")).unwrap_or(line), "")
    });
    (decoded(name), unguarded(description))
}

#[track_caller]
fn fields(record: &str) -> Read {
    let field = |name: &str| {
        let mut lines = record.lines().filter_map(|line| line.strip_prefix(name));
        let text = lines.next().unwrap_or_default();
        assert_eq!(lines.next(), None, "one {name}in {record}");
        text
    };
    (decoded(field("name: ")), unguarded(field("description: ")))
}

/// Returns a description as it was, but for an entity that its author wrote.
pub(crate) fn unguarded(text: &str) -> String {
    text.replace("&lt;", "<")
}

/// Decodes entities as an XML parser does.
fn decoded(text: &str) -> String {
    let document = format!("<a>{text}</a>");
    let document = roxmltree::Document::parse(&document).expect("the text is the content of XML");
    document.root_element().text().unwrap_or_default().to_owned()
}
