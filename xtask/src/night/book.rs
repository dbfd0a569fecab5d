//! The guide as a book with a search, by `mdbook`.

use std::process::Command;

use crate::process::{Failure, run as run_program, write_files};
use crate::root;

const TOOL: &str = "mdbook@0.5.4";
const PAGES: &str = "crates/prowess/src/guide";
const SETTINGS: &str = "[book]\ntitle = \"prowess\"\n\n[build]\nbuild-dir = \"html\"\n";

/// Writes the book to `target/book/html`, with a page for each page of the guide.
pub(crate) fn run() -> Result<(), Failure> {
    let (tools, book) = (root().join("target/tools"), root().join("target/book"));
    let install = ["install", "--quiet", "--locked", TOOL, "--no-default-features"];
    let mut install_tool = Command::new("cargo");
    run_program(install_tool.args(install).args(["--features", "search", "--root"]).arg(&tools))?;
    let mut files = vec![("book.toml".to_owned(), SETTINGS.to_owned())];
    let mut titles = Vec::new();
    for page in std::fs::read_dir(root().join(PAGES))? {
        let page = page?;
        let name = page.file_name().to_string_lossy().into_owned();
        let Some(title) = name.strip_suffix(".md") else { continue };
        files.push((format!("src/{name}"), page_of_book(&std::fs::read_to_string(page.path())?)));
        titles.push(title.to_owned());
    }
    titles.sort();
    let summary = titles.iter().map(|title| format!("- [{title}]({title}.md)\n"));
    files.push(("src/SUMMARY.md".to_owned(), summary.collect()));
    let texts: Vec<_> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    write_files(&book, &texts)?;
    run_program(Command::new(tools.join("bin/mdbook")).arg("build").arg(&book))?;
    println!("{} pages in {}", titles.len(), book.join("html").display());
    Ok(())
}

/// Returns a page whose first line is its title. Links to sources lead to the documentation of the
/// crate.
fn page_of_book(text: &str) -> String {
    let mut in_code = false;
    let lines = text.lines().map(|line| {
        in_code ^= line.starts_with("```");
        match line.split_once("]: ../") {
            _ if in_code && line == "```" => "```rust,ignore\n".to_owned(),
            Some((label, _)) if !in_code => {
                let name = label.trim_matches(['[', '`']).replace(' ', "+");
                format!("{label}]: https://docs.rs/prowess/latest/prowess/?search={name}\n")
            }
            _ => format!("{line}\n"),
        }
    });
    format!("# {}", lines.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::page_of_book;

    #[test]
    fn pages_have_a_title_and_links_that_lead_out() {
        let page = "Using it.\n\n```\ncode\n```\n\nSee [`Turn`].\n\n[`Turn`]: ../turn.rs\n";
        let expected = "# Using it.\n\n```rust,ignore\ncode\n```\n\nSee [`Turn`].\n\n\
                        [`Turn`]: https://docs.rs/prowess/latest/prowess/?search=Turn\n";
        assert_eq!(page_of_book(page), expected);
    }
}
