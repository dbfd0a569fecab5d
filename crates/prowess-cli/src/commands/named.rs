//! `prowess read-properties` and `prowess to-prompt`: named packages, with the output of the
//! reference tool's commands of these names.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use prowess::format::{Directory, Mapping, Profile, Rules, parse_in};
use prowess::prompt::{CatalogFormat, SkillEntry, available_skills};
use serde_json::json;

#[cfg(feature = "reference")]
use crate::commands::skills_ref;
use crate::failure::Failure;
use crate::features;
use crate::output::Output;
use crate::package::{Package, packages};
use crate::paths::absolute;

pub(crate) fn read_properties(
    path: &Path,
    profile: Profile,
    output: &Output,
) -> Result<ExitCode, Failure> {
    if profile == Profile::SkillsRef {
        features::require("reference", "--profile skills-ref")?;
        #[cfg(feature = "reference")]
        return skills_ref::read_properties(path, output);
    }
    let packages = packages(path)?;
    if let [package] = packages.as_slice() {
        output.json(&properties(package, profile, output)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut skills = Vec::with_capacity(packages.len());
    for package in &packages {
        let properties = properties(package, profile, output)?;
        skills.push(json!({ "path": package.display().to_string(), "properties": properties }));
    }
    output.json(&json!({ "skills": skills }))?;
    Ok(ExitCode::SUCCESS)
}

fn properties(path: &Path, profile: Profile, output: &Output) -> Result<Mapping, Failure> {
    let package = Package::read(path)?;
    let directory = Directory { name: &package.name, is_compared: false };
    let parsed = parse_in(&package.text, Some(directory), &Rules::of(profile));
    let place = package.directory.join(package.file).display().to_string();
    let mut diagnostics = parsed.diagnostics;
    for diagnostic in &mut diagnostics {
        diagnostic.path = Some(place.as_str().into());
    }
    output.diagnostics(&diagnostics);
    let document = parsed.document.ok_or_else(|| {
        let reasons: Vec<_> =
            diagnostics.iter().filter(|found| found.is_error()).map(ToString::to_string).collect();
        let message = format!("`{place}` cannot be used: {}", reasons.join("; "));
        Failure::new("skill-invalid", message, "see `prowess validate` for what to change")
    })?;
    Ok(document.frontmatter.fields)
}

pub(crate) fn to_prompt(
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

fn entry(path: &Path, profile: Profile) -> Result<SkillEntry<'static>, Failure> {
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
