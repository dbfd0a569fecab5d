//! `prowess catalog build`: the skills of this machine as one file, for many hosts.

use std::process::ExitCode;

use prowess::{Cancel, Clock as _, Severity, SystemClock};
use prowess_signature::PublicKey;
use prowess_source_catalog::{CatalogFileError, LeftOut, PublishOptions, Published, publish};
use serde_json::json;

use crate::args::{Catalog, CatalogBuild, Global};
use crate::commands::install::OTHER_BYTES;
use crate::failure::Failure;
use crate::output::{Output, counted};
use crate::paths::absolute;
use crate::runtime;
use crate::terminal::plain;

pub(crate) fn run(
    command: &Catalog,
    global: &Global,
    output: &Output,
) -> Result<ExitCode, Failure> {
    let Catalog::Build(args) = command;
    let out = absolute(&args.out)?;
    let catalog = runtime::runtime(global)?.catalog();
    let key = args.sign.as_deref().map(signing_key).transpose()?;
    let options = PublishOptions {
        sign: key.as_ref().map(|(key, sign)| (key, &**sign as _)),
        may_be_empty: args.allow_empty,
        ..PublishOptions::new(&args.name, SystemClock::default().now())
    };
    let published = publish(&catalog, &out, &options, &Cancel::default())
        .map_err(|error| failed(args, &error))?;
    let pointer = out.join("catalog.json").display().to_string();
    let Published { pointer: named, is_new, offered, packages, mut left_out, .. } = published;
    let off: Vec<_> = catalog.excluded().filter(|it| runtime::is_off(*it)).collect();
    left_out.retain(|it| it.path.is_some() || off.iter().all(|record| record.id() != it.skill));
    // A skill with an error has no record.
    let errors = catalog.diagnostics().filter(|found| found.severity == Severity::Error);
    left_out.extend(errors.map(|found| LeftOut {
        skill: found.path.as_deref().unwrap_or_default().to_owned(),
        path: None,
        reason: found.message.to_string(),
        is_fault: true,
    }));
    for left_out in &left_out {
        let [name, reason] = [name(left_out), left_out.reason.clone()];
        output.remark(&format!("left out: {}: {}\n", plain(&name), plain(&reason)));
    }
    let result = json!({
        "pointer": pointer,
        "digest": named.digest,
        "generation": named.generation,
        "bytes": named.bytes,
        "signed": named.signature.is_some(),
        "changed": is_new,
        "skills": offered,
        "packages": packages,
        "left_out": left_out.iter().map(|it| json!({ "path": name(it), "reason": it.reason }))
            .collect::<Vec<_>>(),
    });
    output.result(&result, |_| {
        let state = if is_new { "Published" } else { "Unchanged:" };
        let skills = match packages - offered {
            0 => counted(offered, "skill"),
            others => format!("{} and {others} not offered here", counted(offered, "skill")),
        };
        let generation = named.generation;
        format!("{state} {skills} as generation {generation}: {}\n", plain(&pointer))
    })?;
    let is_complete = left_out.iter().all(|it| !it.is_fault);
    Ok(ExitCode::from(if is_complete { 0 } else { OTHER_BYTES }))
}

/// Returns the name of a skill or of a file in one.
fn name(left_out: &LeftOut) -> String {
    let LeftOut { skill, path, .. } = left_out;
    path.as_ref().map_or_else(|| skill.clone(), |path| format!("{skill}/{path}"))
}

fn failed(args: &CatalogBuild, error: &CatalogFileError) -> Failure {
    let (code, help) = match error {
        CatalogFileError::Skill { .. } => {
            ("publish-incomplete", "correct the skill, or leave it out, and build again")
        }
        CatalogFileError::Empty => (
            "catalog-empty",
            "name the directory of the skills with `--root DIR`; `--allow-empty` publishes none",
        ),
        CatalogFileError::Pointer(_) | CatalogFileError::Format(_) => {
            ("catalog-damaged", "remove the file, or publish in another directory")
        }
        _ => ("output-failed", "check the directory and its permissions"),
    };
    let message = format!("nothing is published in `{}`: {error}", args.out.display());
    Failure::new(code, message, help)
}

type Sign = Box<dyn Fn(&[u8]) -> Result<String, String>>;

#[cfg(feature = "sign")]
fn signing_key(path: &std::path::Path) -> Result<(PublicKey, Sign), Failure> {
    let key = super::publish::secret_key(path)?;
    let public = key.public_key().clone();
    // The trusted comment has no time: equal catalogs give equal pointers.
    let sign = move |bytes: &[u8]| key.sign(bytes, "catalog.json");
    Ok((public, Box::new(move |bytes| sign(bytes).map_err(|error| error.to_string()))))
}

#[cfg(not(feature = "sign"))]
fn signing_key(_: &std::path::Path) -> Result<(PublicKey, Sign), Failure> {
    Err(crate::features::lacks("sign", "catalog build --sign"))
}
