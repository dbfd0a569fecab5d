//! `prowess publish`: the files of a site, a registry or a bucket.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use prowess::{Cancel, RemoteErrorKind, has_credentials};
use prowess_archive::File;
#[cfg(feature = "remotes")]
use prowess_source_remote::{Annotations, OciRemote, S3Remote};
use prowess_source_remote::{LocalRemote, PackedFolder};
#[cfg(feature = "remotes")]
use prowess_store::publish_packages;
#[cfg(feature = "sign")]
use prowess_store::publish_signed;
use prowess_store::{InstallError, LeftOut, Published, publish};

use crate::args::Publish;
use crate::commands::install::{Line, print_addition, with_credentials};
use crate::failure::Failure;
use crate::features;
#[cfg(feature = "remotes")]
use crate::install_place::{http_options, s3_options};
#[cfg(feature = "sign")]
use crate::named_file;
use crate::output::{DIM, Output};
use crate::paths::absolute;
use crate::terminal::plain;

pub(crate) fn run(args: &Publish, output: &Output) -> Result<ExitCode, Failure> {
    let written = args.site.as_ref().and_then(|site| site.to_str());
    let url = args.to.as_deref().or(written).filter(|target| is_url(target));
    if url.is_some_and(has_credentials) {
        return Err(with_credentials("target"));
    }
    if let Some(url) = url {
        check_url(url)?;
    }
    if args.sign.is_some() {
        features::require("sign", "publish --sign")?;
    }
    let (archive, mut left_out) = packed(args, output)?;
    let (lines, others) = match url {
        #[cfg(feature = "remotes")]
        Some(url) if url.starts_with("s3:") => to_bucket(args, url, &archive)?,
        #[cfg(feature = "remotes")]
        Some(url) => to_registry(args, url, &archive, left_out.len())?,
        _ => {
            let folder = args.to.as_ref().map(PathBuf::from).or_else(|| args.site.clone());
            to_folder(args, &folder.unwrap_or_default(), &archive)?
        }
    };
    left_out.extend(others);
    if lines.is_empty() && left_out.is_empty() {
        let message = "there is no `SKILL.md` in the folder".to_owned();
        return Err(InstallError::NoSkill(message).into());
    }
    print_addition(lines, left_out, help, None, output)
}

/// Returns the next step after a skill was left out.
fn help(error: &InstallError) -> String {
    let kind = if let InstallError::Remote(error) = error { Some(error.kind) } else { None };
    let help = match (kind, error) {
        (Some(RemoteErrorKind::Denied), _) => {
            "remove it, and replace it where it is valid: it may be known already"
        }
        (Some(RemoteErrorKind::Invalid), _) => "replace a link by a copy, or remove it",
        (_, InstallError::SeveralSkills { .. }) => "rename all but one of them",
        _ => "correct the skill, and publish again",
    };
    help.to_owned()
}

/// The starts of the targets that are no folders.
const TARGETS: [&str; 3] = ["oci://", "oci+http://", "s3://"];

/// Returns whether a target starts with a scheme, so that it is no path: `./` in front of it makes
/// it one.
fn is_url(target: &str) -> bool {
    let Some((scheme, _)) = target.split_once(':') else { return false };
    scheme.len() > 1
        && scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.chars().all(|it| it.is_ascii_alphanumeric() || "+-.".contains(it))
}

/// Returns an error if nothing is published at this URL, or not by this program.
fn check_url(url: &str) -> Result<(), Failure> {
    if TARGETS.iter().any(|start| url.starts_with(start)) {
        return features::require("remotes", &format!("publish {}", plain(url)));
    }
    let message = format!("`{}` is neither a registry, a bucket nor a path", plain(url));
    let help = "write `oci://HOST/NAME:TAG`, `s3://BUCKET/PATH`, or a path that starts with `./`";
    Err(Failure::usage(RemoteErrorKind::Unsupported.as_str(), message, help))
}

/// Returns a folder as an archive, and the skills that are left out, and names what is withheld.
fn packed(args: &Publish, output: &Output) -> Result<(Vec<u8>, Vec<LeftOut>), Failure> {
    let folder = absolute(&args.folder)?;
    let packed = LocalRemote::packed_for_others(&folder, &args.include, &Cancel::default());
    let PackedFolder { bytes, withheld, left_out } = packed.map_err(InstallError::from)?;
    for (path, reason) in &withheld {
        output.remark(&format!("left out: {} {reason}\n", plain(path)));
    }
    if !withheld.is_empty() {
        output.remark(&format!("  {DIM}help:{DIM:#} `--include NAME` takes one of them\n"));
    }
    let left_out = left_out.into_iter();
    Ok((bytes, left_out.map(|(name, error)| LeftOut { name, error: error.into() }).collect()))
}

fn to_folder(args: &Publish, site: &Path, archive: &[u8]) -> Result<Published<Line>, Failure> {
    let mut lines = Vec::new();
    let (files, left_out) = files(archive, args.sign.as_deref())?;
    for file in files {
        let path = site.join(&file.path);
        write(&path, &file.content)?;
        let detail = Some(path.display().to_string());
        lines.push(Line { id: file.path, state: "written", detail });
    }
    Ok((lines, left_out))
}

/// Writes the index last, so that it names no object that is not there.
#[cfg(feature = "remotes")]
fn to_bucket(args: &Publish, target: &str, archive: &[u8]) -> Result<Published<Line>, Failure> {
    let remote = S3Remote::new(s3_options(), http_options(&args.hosts)?);
    let mut lines = Vec::new();
    let (files, left_out) = files(archive, args.sign.as_deref())?;
    for file in files {
        let object = format!("{}/{}", target.trim_end_matches('/'), file.path);
        let put = remote.put(&object, &file.content, &Cancel::default());
        put.map_err(InstallError::from)?;
        lines.push(Line { id: file.path, state: "written", detail: Some(object) });
    }
    Ok((lines, left_out))
}

#[cfg(feature = "remotes")]
fn to_registry(
    args: &Publish,
    target: &str,
    archive: &[u8],
    others: usize,
) -> Result<Published<Line>, Failure> {
    if args.sign.is_some() {
        let code = RemoteErrorKind::Unsupported.as_str();
        let message = "packages in a registry are not signed by minisign";
        return Err(Failure::new(code, message, "leave `--sign` out"));
    }
    let remote = OciRemote::new(http_options(&args.hosts)?);
    let (packages, left_out) = publish_packages(archive)?;
    let is_single = packages.len() + left_out.len() + others == 1;
    let mut lines = Vec::new();
    for package in packages {
        let target = if is_single { target.to_owned() } else { below(target, &package.name) };
        let annotations = Annotations { title: &package.name, description: &package.description };
        let digest = remote.publish(&target, &package.bytes, annotations, &Cancel::default());
        let digest = digest.map_err(InstallError::from)?;
        let detail = Some(format!("{target} {digest}"));
        lines.push(Line { id: package.name, state: "published", detail });
    }
    Ok((lines, left_out))
}

/// Returns the files of the site, signed if there is a key.
fn files(archive: &[u8], key: Option<&Path>) -> Result<Published<File>, Failure> {
    match key {
        None => Ok(publish(archive)?),
        Some(key) => signed(archive, key),
    }
}

#[cfg(feature = "sign")]
fn signed(archive: &[u8], path: &Path) -> Result<Published<File>, Failure> {
    let key = secret_key(path)?;
    // The trusted comment says what was signed, and no time: equal packages give equal comments.
    Ok(publish_signed(archive, key.public_key(), &|name, bytes| key.sign(bytes, name))?)
}

/// Reads the secret key of a publisher.
#[cfg(feature = "sign")]
pub(crate) fn secret_key(path: &Path) -> Result<prowess_signature::SecretKey, Failure> {
    let invalid = |reason: String| {
        let help = "name the file written by `minisign -G`";
        let message = format!("`{}` cannot sign: {reason}", path.display());
        Failure::new("signer-invalid", message, help)
    };
    let text = named_file::text(path).map_err(invalid)?;
    prowess_signature::SecretKey::parse(&text).map_err(|error| invalid(error.to_string()))
}

#[cfg(not(feature = "sign"))]
fn signed(_: &[u8], _: &Path) -> Result<Published<File>, Failure> {
    Err(features::lacks("sign", "publish --sign"))
}

/// Returns the target of one of several skills: `NAME/SKILL:TAG`.
#[cfg(feature = "remotes")]
fn below(target: &str, name: &str) -> String {
    let start = target.rfind('/').unwrap_or_default();
    match target[start..].split_once(':') {
        Some((last, tag)) => format!("{}{last}/{name}:{tag}", &target[..start]),
        None => format!("{target}/{name}"),
    }
}

fn write(path: &PathBuf, content: &[u8]) -> Result<(), Failure> {
    let parent = path.parent().unwrap_or(Path::new("."));
    let written = fs::create_dir_all(parent).and_then(|()| fs::write(path, content));
    written.map_err(|error| unwritable(path, &error))
}

pub(crate) fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    let message = format!("`{}` cannot be written: {error}", path.display());
    Failure::new("output-failed", message, "check the folder and its permissions")
}
