//! `prowess to-prompt`: `<available_skills>` for some packages.

use std::path::PathBuf;
use std::process::ExitCode;

use prowess::format::{Directory, Profile, Rules, parse_in};
use prowess::prompt::{CatalogFormat, SkillEntry, available_skills};

use serde_json::json;

#[cfg(feature = "reference")]
use crate::commands::skills_ref;
use crate::failure::Failure;
use crate::features;
use crate::output::Output;
use crate::package::{Package, packages};
use crate::paths::absolute;

pub(crate) fn run(
    paths: &[PathBuf],
    profile: Profile,
    output: &Output,
) -> Result<ExitCode, Failure> {
    if profile == Profile::SkillsRef {
        features::require("reference", "--profile skills-ref")?;
        #[cfg(feature = "reference")]
        return skills_ref::to_prompt(paths, output);
    }
    let mut entries = Vec::new();
    for path in paths {
        for package in packages(path)? {
            entries.push(entry(&package, profile)?);
        }
    }
    let prompt = available_skills(entries, CatalogFormat::XmlElements);
    output.result(&json!({ "prompt": prompt }), |_| format!("{prompt}\n"))?;
    Ok(ExitCode::SUCCESS)
}

fn entry(path: &std::path::Path, profile: Profile) -> Result<SkillEntry<'static>, Failure> {
    let package = Package::read(path)?;
    let directory = Directory { name: &package.name, is_compared: false };
    let rules = Rules::of(profile);
    let Some(document) = parse_in(&package.text, Some(directory), &rules).document else {
        let message = format!("`{}` is not a valid skill", path.display());
        return Err(Failure::new(
            "skill-invalid",
            message,
            "see `prowess validate` for what to change",
        ));
    };
    let location = absolute(&package.directory)?.join(package.file);
    Ok(SkillEntry {
        name: document.frontmatter.name.into(),
        description: document.frontmatter.description.into(),
        location: Some(location.to_string_lossy().into_owned().into()),
    })
}
