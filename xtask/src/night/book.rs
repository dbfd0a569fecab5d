//! The guide as a book with a search, by `mdbook`.

use std::path::Path;
use std::process::Command;

use crate::process::{Failure, run as run_program};
use crate::root;

const TOOL: &str = "mdbook@0.5.4";
const PAGES: &str = "crates/prowess/src/guide";
const BOOK: &str = "target/book";

/// Writes the book to `target/book/html`, with a page for each page of the guide.
pub(crate) fn run() -> Result<(), Failure> {
    let (tools, book) = (root().join("target/tools"), root().join(BOOK));
    let mut install = Command::new("cargo");
    install.args(["install", "--quiet", "--locked", TOOL, "--no-default-features"]);
    run_program(install.args(["--features", "search", "--root"]).arg(&tools))?;
    let pages = write(&book)?;
    run_program(Command::new(tools.join("bin/mdbook")).arg("build").arg(&book))?;
    let html = book.join("html");
    let missing = |page: &&String| !html.join(page.replace(".md", ".html")).is_file();
    if let Some(page) = pages.iter().find(missing) {
        return Err(Failure(format!("the book has no page of `{page}`")));
    }
    let files = std::fs::read_dir(&html)?.filter_map(Result::ok);
    if !files.map(|file| file.file_name()).any(|it| it.to_string_lossy().starts_with("searchindex"))
    {
        return Err(Failure("the book has no search".into()));
    }
    println!("{} pages in {}", pages.len(), html.display());
    Ok(())
}

/// Writes the sources of the book, and returns the names of its pages.
fn write(book: &Path) -> Result<Vec<String>, Failure> {
    if book.exists() {
        std::fs::remove_dir_all(book)?;
    }
    std::fs::create_dir_all(book.join("src"))?;
    std::fs::write(
        book.join("book.toml"),
        "[book]\ntitle = \"prowess\"\n[build]\nbuild-dir = \"html\"\n",
    )?;
    let (mut pages, mut summary) = (Vec::new(), "[prowess](README.md)\n\n".to_owned());
    for page in std::fs::read_dir(root().join(PAGES))? {
        let name = page?.file_name().to_string_lossy().into_owned();
        let Some(title) = name.strip_suffix(".md") else { continue };
        let text = std::fs::read_to_string(root().join(PAGES).join(&name))?;
        std::fs::write(book.join("src").join(&name), page_of_book(&text))?;
        if title != "README" {
            pages.push((title.replace('_', " "), name));
        }
    }
    pages.sort();
    summary.extend(pages.iter().map(|(title, name)| format!("- [{title}]({name})\n")));
    std::fs::write(book.join("src/SUMMARY.md"), summary)?;
    Ok(pages.into_iter().map(|(_, name)| name).collect())
}

/// Returns a page whose first line is its title, without the lines of examples that only a test
/// needs. Links to sources lead to the documentation of the crate.
fn page_of_book(text: &str) -> String {
    let mut in_code = false;
    let lines = text.lines().filter_map(|line| {
        if line.starts_with("```") {
            in_code = !in_code;
            let is_rust = in_code && line == "```";
            return Some(if is_rust { "```rust,ignore".to_owned() } else { line.to_owned() });
        }
        if in_code {
            return (line != "#" && !line.starts_with("# ")).then(|| line.to_owned());
        }
        match line.split_once("]: ../") {
            Some((label, _)) => {
                let name = label.trim_matches(['[', '`']).replace(' ', "+");
                Some(format!("{label}]: https://docs.rs/prowess/latest/prowess/?search={name}"))
            }
            None if line.starts_with("# ") => Some(format!("#{line}")),
            None => Some(line.to_owned()),
        }
    });
    let lines: Vec<_> = lines.collect();
    format!("# {}\n", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::page_of_book;

    #[test]
    fn pages_have_a_title_and_links_that_lead_out() {
        let page = "Using it.\n\n# Now\n\n```\n# hidden\nshown\n```\n\nSee [`Turn`].\n\n[`Turn`]: ../turn.rs\n";
        let expected = "# Using it.\n\n## Now\n\n```rust,ignore\nshown\n```\n\nSee [`Turn`].\n\n\
                        [`Turn`]: https://docs.rs/prowess/latest/prowess/?search=Turn\n";
        assert_eq!(page_of_book(page), expected);
    }
}
