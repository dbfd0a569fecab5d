//! Short names for the directories of skills.

use std::sync::Arc;

use expect_test::expect;
use prowess_core::{
    Boundary, Catalog, DeliveryPolicy, EstimatedTokens, MemorySource, ShowLocation,
};
use prowess_prompt::{CatalogFormat, Composer, ComposerInput, PathAliases, Prompt, PromptPolicy};
use prowess_testkit::catalog_over;

use crate::fixture::{SECRET, parse, prompt_with};

const ROOT: &str = "memory://home/someone/projects/a-long-name/.agents/skills";

/// Returns a catalog of `count` skills below a directory.
fn catalog(root: &str, count: usize) -> Arc<Catalog> {
    let ids: Vec<_> = (0..count).map(|number| format!("skill-{number:02}")).collect();
    let name = root.strip_prefix("memory://").expect("the root of a source in memory");
    let source = MemorySource::builder(name).build();
    let none: &[&str] = &[];
    let skills = ids.iter().map(|id| (id.as_str(), "Does it.", none));
    catalog_over(Arc::new(source.expect("a source without files")), skills)
}

fn policy(catalog_format: CatalogFormat) -> PromptPolicy {
    PromptPolicy {
        path_aliases: PathAliases::WhenShorter,
        catalog_format,
        ..PromptPolicy::default()
    }
}

fn composed(catalog: &Catalog, policy: &PromptPolicy) -> Prompt {
    prompt_with(catalog, &[], policy, DeliveryPolicy::default())
}

#[test]
fn many_skills_of_a_directory_share_its_name() {
    let catalog = catalog(ROOT, 12);
    let short = composed(&catalog, &policy(CatalogFormat::XmlElements));
    let whole = composed(&catalog, &PromptPolicy::default());
    assert!(short.ledger.tokens < whole.ledger.tokens, "short names save tokens");
    let legend = short.text.lines().find(|line| line.starts_with("In locations"));
    expect!["In locations, `@1` is `memory://home/someone/projects/a-long-name/.agents/skills`."]
        .assert_eq(legend.expect("short names are explained"));
    let locations = |prompt: &Prompt| {
        let skills = parse(&prompt.text).into_iter();
        skills.map(|(_, _, location)| location.expect("it is shown")).collect::<Vec<_>>()
    };
    let expanded: Vec<_> =
        locations(&short).iter().map(|location| location.replacen("@1", ROOT, 1)).collect();
    assert_eq!(expanded, locations(&whole), "each location can be found again");
}

#[test]
fn directories_are_written_out_where_that_is_shorter() {
    let is_whole = |catalog: &Catalog, policy: &PromptPolicy, delivery: DeliveryPolicy| {
        let prompt = prompt_with(catalog, &[], policy, delivery);
        assert!(!prompt.text.contains("@1"), "{}", prompt.text);
    };
    let short = policy(CatalogFormat::XmlElements);
    is_whole(&catalog(ROOT, 1), &short, DeliveryPolicy::default());
    is_whole(&catalog("memory://s", 3), &short, DeliveryPolicy::default());
    is_whole(&catalog(ROOT, 12), &PromptPolicy::default(), DeliveryPolicy::default());
    is_whole(&catalog(ROOT, 12), &policy(CatalogFormat::Bullets), DeliveryPolicy::default());
    let delivery = DeliveryPolicy { show_location: ShowLocation::Virtual, ..Default::default() };
    is_whole(&catalog(ROOT, 12), &short, delivery);
    is_whole(
        &catalog("memory://home/someone\u{200b}/projects/skills", 12),
        &short,
        Default::default(),
    );
}

/// A conversation that repeats its catalog has the short names of the first call in its notices.
#[test]
fn notice_uses_the_names_of_the_repeated_catalog() {
    let composer = Composer::new(
        policy(CatalogFormat::XmlElements),
        DeliveryPolicy::default(),
        Arc::new(EstimatedTokens),
    );
    let before = catalog(ROOT, 12);
    let after = catalog(ROOT, 13);
    let boundary = Boundary::new(SECRET);
    let input = ComposerInput {
        catalog: &before,
        active: &[],
        changed: &[],
        preferred: &[],
        baseline: None,
        boundary: &boundary,
    };
    let baseline = composer.baseline(&input).expect("the catalog is repeated");
    let next = ComposerInput { catalog: &after, baseline: Some(&baseline), ..input };
    let prompt = composer.compose(&next);
    let notice = prompt.notice.as_ref().expect("there is another skill");
    assert_eq!(notice.added, ["skill-12"], "the others have not changed: {notice:?}");
    assert!(prompt.text.contains("<location>@1/skill-12/SKILL.md</location>"), "{}", prompt.text);
}
