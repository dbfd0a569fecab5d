//! The scripts that a frontmatter wants to be run before and after the skill.

use prowess_core::ResourcePath;
use prowess_format::{Profile, Rules, for_message};

use crate::codes;
use crate::findings::Findings;
use crate::links::exists;
use crate::package::Package;

/// The extension that names scripts of the package in `hooks`, and the keys that it has there.
const EXTENSION: &str = "omniforge";
const KEYS: [&str; 2] = ["pre", "post"];

/// Looks for the scripts, where the profile knows the field.
pub(crate) fn check(package: &Package<'_>, profile: Profile, findings: &mut Findings<'_>) {
    let fields = &package.document.frontmatter.fields;
    let extensions = Rules::of(profile).extensions;
    let hooks = extensions.value(fields, EXTENSION, "hooks").and_then(|hooks| hooks.as_map());
    let scripts = KEYS.into_iter().filter_map(|key| hooks?.get(key));
    for field in scripts {
        let script = field.value.as_text().unwrap_or_default();
        // A path that leaves the package is a finding of reading.
        if ResourcePath::new(script).is_ok_and(|path| !exists(&path, package)) {
            let message = format!(
                "the hook `{}` names `{}`, which does not exist",
                field.key,
                for_message(script)
            );
            let help = "add the script, or remove the hook";
            findings.at(codes::HOOK_MISSING, field.value_span.clone(), message, help);
        }
    }
}
