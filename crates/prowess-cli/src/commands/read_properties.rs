//! `prowess read-properties`: the frontmatter of a package as JSON.

use std::path::Path;
use std::process::ExitCode;

use prowess::format::{Directory, Mapping, Profile, Rules, parse_in};
use serde_json::json;

#[cfg(feature = "reference")]
use crate::commands::skills_ref;
use crate::failure::Failure;
use crate::features;
use crate::output::Output;
use crate::package::{Package, packages};

pub(crate) fn run(path: &Path, profile: Profile, output: &Output) -> Result<ExitCode, Failure> {
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
