//! `prowess catalog build`: the skills of this machine as one file, for many hosts.

use std::process::ExitCode;

use prowess::Cancel;
use prowess_source_catalog::{CatalogFileError, PublishOptions, Published, publish};
use serde_json::json;

use crate::args::{Catalog, CatalogBuild, Global};
use crate::failure::Failure;
use crate::output::Output;
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
    let sign = |bytes: &[u8]| key.as_ref().map_or_else(|| Err(String::new()), |key| key(bytes));
    let options =
        PublishOptions { sign: key.is_some().then_some(&sign), ..PublishOptions::new(&args.name) };
    let published = publish(&catalog, &out, &options, &Cancel::default())
        .map_err(|error| failed(args, &error))?;
    let pointer = out.join("catalog.json").display().to_string();
    let Published { pointer: named, is_new, offered, packages, .. } = published;
    let result = json!({
        "pointer": pointer,
        "digest": named.digest,
        "generation": named.generation,
        "bytes": named.bytes,
        "signed": named.signature.is_some(),
        "changed": is_new,
        "skills": offered,
        "packages": packages,
    });
    output.result(&result, |_| {
        let state = if is_new { "Published" } else { "Unchanged:" };
        let generation = named.generation;
        format!("{state} {offered} skills as generation {generation}: {}\n", plain(&pointer))
    })?;
    Ok(ExitCode::SUCCESS)
}

fn failed(args: &CatalogBuild, error: &CatalogFileError) -> Failure {
    let (code, help) = match error {
        CatalogFileError::Skill { .. } => {
            ("publish-incomplete", "correct the skill, or leave it out, and build again")
        }
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
fn signing_key(path: &std::path::Path) -> Result<Sign, Failure> {
    let key = super::publish::secret_key(path)?;
    // The trusted comment has no time: equal catalogs give equal pointers.
    Ok(Box::new(move |bytes| key.sign(bytes, "catalog.json").map_err(|error| error.to_string())))
}

#[cfg(not(feature = "sign"))]
fn signing_key(_: &std::path::Path) -> Result<Sign, Failure> {
    Err(crate::features::lacks("sign", "catalog build --sign"))
}
