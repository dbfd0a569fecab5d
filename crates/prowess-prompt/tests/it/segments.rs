//! The pieces of a prompt's text.

use expect_test::expect_file;
use prowess_prompt::{CatalogFormat, CatalogPlace, Part, Prompt, PromptPolicy, SkillEntry};

use crate::fixture::{active, catalog, prompt, skill};

fn composed(policy: &PromptPolicy) -> Prompt {
    let skills = [skill("sql", "Queries."), skill("pdf", "Fills forms. Ü")];
    prompt(&catalog(&skills), &[active("pdf", "Fill it in."), active("sql", "Select.")], policy)
}

/// The pieces are the whole text, whatever the place, the format and the budget are.
#[test]
fn pieces_are_the_whole_text() {
    for catalog_format in CatalogFormat::ALL {
        for catalog_place in [
            CatalogPlace::SystemPrompt,
            CatalogPlace::ContextBlock,
            CatalogPlace::ToolDescription,
            CatalogPlace::ToolOnly,
        ] {
            for max_tokens in [None, Some(60)] {
                let policy = PromptPolicy {
                    catalog_format,
                    catalog_place,
                    max_tokens,
                    ..PromptPolicy::default()
                };
                let prompt = composed(&policy);
                let pieces = prompt.segments();
                let text: String = pieces.iter().map(|piece| piece.text).collect();
                let context = prompt.context.as_ref().map_or("", |block| &block.text);
                assert_eq!(text, format!("{}{context}", prompt.text), "{policy:?}");
                assert!(pieces.iter().all(|piece| !piece.text.is_empty()), "{pieces:?}");
            }
        }
    }
}

#[test]
fn each_skill_has_its_pieces() {
    let prompt = composed(&PromptPolicy::default());
    let pieces = prompt.segments();
    let about = pieces.iter().map(|piece| {
        let part = match piece.part {
            Part::ActiveSkill { .. } => "body".to_owned(),
            part => format!("{part:?}"),
        };
        format!("{part} {}", piece.skill.unwrap_or("-"))
    });
    expect_file!["../data/segments.txt"].assert_eq(&about.collect::<Vec<_>>().join("\n"));
    let [_, _, pdf, ..] = pieces[..] else { panic!("{pieces:?}") };
    assert!(pdf.text.starts_with("<skill>\n<name>pdf</name>"), "{pdf:?}");
    assert!(pdf.text.ends_with("</skill>\n"), "{pdf:?}");
}

/// The entry of a skill alone is the piece of the catalog, so its tokens are known before it is
/// in one.
#[test]
fn piece_of_a_skill_is_its_entry() {
    let prompt = composed(&PromptPolicy::default());
    let catalog = catalog(&[skill("sql", "Queries.")]);
    let record = catalog.get("sql").expect("it is offered");
    let entry = SkillEntry::new(record, prowess_core::ShowLocation::Absolute);
    let alone = prowess_prompt::available_skills([entry], CatalogFormat::XmlElements);
    let pieces = prompt.segments();
    let sql = pieces.iter().find(|piece| piece.skill == Some("sql")).expect("it is shown");
    assert!(alone.contains(sql.text), "{alone}");
}
