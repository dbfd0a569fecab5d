//! The choice of a person at the terminal among the skills of a source.

use std::fmt::Write as _;

use prowess::RemoteRequest;

use crate::failure::Failure;
use crate::install_place::InstallPlace;
use crate::interrupt::cancelling;
use crate::output::{DIM, ID, Output};
use crate::question;
use crate::terminal::{fitted, marked, padded, plain, width};

/// Returns the names of the skills that the person wants of a source that has several; empty for
/// all of them.
pub(super) fn ask(
    place: &InstallPlace,
    request: &RemoteRequest,
    output: &Output,
) -> Result<Vec<String>, Failure> {
    let (offered, _) = cancelling(|cancel| place.installer().offered(request, cancel))?;
    if offered.len() < 2 {
        return Ok(Vec::new());
    }
    let names: Vec<_> = offered.keys().map(String::as_str).collect();
    let digits = names.len().to_string().len();
    let widest = names.iter().map(|name| width(&marked(name))).max().unwrap_or_default();
    let mut text = String::new();
    for (number, (name, skill)) in (1..).zip(&offered) {
        let name = padded(&marked(name), widest);
        let description = marked(&skill.description);
        let description = fitted(&description, digits + widest + 4);
        let _ = writeln!(text, "{number:>digits$}  {ID}{name}{ID:#}  {DIM}{description}{DIM:#}");
    }
    output.error_text(&text);
    loop {
        let question = "Which ones? Numbers as in `1 3-5`, names, or Enter for all: ";
        let Some(answer) = question::answer(output, question) else {
            let message = "no skill was chosen, so nothing is installed";
            return Err(Failure::new(
                "confirmation-required",
                message,
                "name skills behind the source",
            ));
        };
        match chosen(&answer, &names) {
            Ok(chosen) => return Ok(chosen.into_iter().map(str::to_owned).collect()),
            Err(word) => output.error_text(&format!("there is no skill `{}`\n", plain(word))),
        }
    }
}

/// Returns the names that an answer means, or the first word that means none.
fn chosen<'n, 'a>(answer: &'a str, names: &[&'n str]) -> Result<Vec<&'n str>, &'a str> {
    let answer = answer.trim();
    // A name may have blanks.
    if let Some(name) = names.iter().find(|name| **name == answer) {
        return Ok(vec![name]);
    }
    let number = |text: &str| text.parse().ok().filter(|number| (1..=names.len()).contains(number));
    let mut chosen = Vec::new();
    for word in answer.split([' ', ',', '\t']).filter(|word| !word.is_empty()) {
        let range = word.split_once('-').unwrap_or((word, word));
        let found = match (number(range.0), number(range.1)) {
            (Some(first), Some(last)) if first <= last => &names[first - 1..last],
            _ => {
                let at = names.iter().position(|name| *name == word).ok_or(word)?;
                &names[at..=at]
            }
        };
        chosen.extend(found);
    }
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use super::chosen;

    #[test]
    fn answers_name_skills() {
        let names = ["a b", "notes", "pdf", "x-1"];
        for (answer, expected) in [
            ("\n", Ok(&[][..])),
            ("1\n", Ok(&["a b"])),
            ("2-4", Ok(&["notes", "pdf", "x-1"])),
            ("3, 1", Ok(&["pdf", "a b"])),
            ("pdf x-1", Ok(&["pdf", "x-1"])),
            ("a b", Ok(&["a b"])),
            ("0", Err("0")),
            ("5", Err("5")),
            ("3-2", Err("3-2")),
            ("1 gone", Err("gone")),
        ] {
            assert_eq!(chosen(answer, &names), expected.map(<[_]>::to_vec), "{answer:?}");
        }
    }
}
