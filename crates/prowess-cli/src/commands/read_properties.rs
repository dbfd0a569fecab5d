//! `prowess read-properties`: the frontmatter of a package as JSON.

use std::path::Path;
use std::process::ExitCode;

use prowess::format::{Directory, Profile, Rules, parse_in};

use crate::commands::skills_ref;
use crate::failure::Failure;
use crate::output::Output;
use crate::package::Package;

pub(crate) fn run(path: &Path, profile: Profile, output: &Output) -> Result<ExitCode, Failure> {
    if profile == Profile::SkillsRef {
        return skills_ref::read_properties(path, output);
    }
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
    output.json(&document.frontmatter.fields)?;
    Ok(ExitCode::SUCCESS)
}
