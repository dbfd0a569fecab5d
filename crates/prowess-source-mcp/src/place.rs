//! The paths that URIs stand for. They are names in a listing, and no path of a disk.

use prowess_core::{PackagePath, ResourcePath, parse_virtual_uri};

/// The maximum length of a URI, in bytes.
const MAX_URI_BYTES: usize = 2048;

/// The scheme whose name is not part of a package's path.
const SCHEME: &str = "skill";

/// The location of a skill on a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) package: PackagePath,
    /// The start of the URIs of all files: the URI of `SKILL.md` without the name.
    pub(crate) directory: String,
}

impl Place {
    /// Returns the location of the skill whose instructions have this URI; `None` if the URI does
    /// not end with the name of that file, or stands for no path.
    pub(crate) fn of(uri: &str, file: &str) -> Option<Self> {
        let directory = uri.strip_suffix(file)?;
        let path = path(uri)?;
        let package = path.strip_suffix(file)?;
        let package = package.strip_suffix('/').unwrap_or(package);
        let is_whole = directory.ends_with('/') && PackagePath::is_normal(package);
        let package = PackagePath::new(package).ok().filter(|_| is_whole)?;
        Some(Self { package, directory: directory.to_owned() })
    }

    /// Returns the path of a file of the skill by its URI; `None` if it is not below the skill's
    /// directory.
    pub(crate) fn resource(&self, uri: &str) -> Option<ResourcePath> {
        let below = uri.strip_prefix(&self.directory)?;
        let whole = path(uri)?;
        let package = self.package.as_str();
        let relative = if package.is_empty() {
            whole.as_str()
        } else {
            whole.strip_prefix(package)?.strip_prefix('/')?
        };
        let resource = ResourcePath::new(relative).ok()?;
        // A path that is not in its normal form could be a second name of a file.
        (resource.as_str() == relative && !below.is_empty()).then_some(resource)
    }

    /// Returns the name of the skill's directory.
    pub(crate) fn name(&self) -> &str {
        self.package.directory()
    }
}

/// Returns the decoded path of a URI, with the scheme in front unless it is the usual one.
fn path(uri: &str) -> Option<String> {
    if uri.len() > MAX_URI_BYTES || uri.contains(['?', '#']) {
        return None;
    }
    let (scheme, rest) = uri.split_once("://")?;
    let is_plain = scheme
        .bytes()
        .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'+');
    if scheme.is_empty() || !is_plain {
        return None;
    }
    let (first, below) = parse_virtual_uri(&format!("{SCHEME}://{rest}"))?;
    let path = if rest.contains('/') { format!("{first}/{below}") } else { first };
    Some(if scheme == SCHEME { path } else { format!("{scheme}:/{path}") })
}

#[cfg(test)]
mod tests {
    use prowess_core::ResourcePath;

    use super::Place;

    #[test]
    fn uri_stands_for_a_package() {
        for (uri, package) in [
            ("skill://pdf/SKILL.md", Some("pdf")),
            ("skill://acme/billing/refunds/SKILL.md", Some("acme/billing/refunds")),
            ("skill://r%C3%A9sum%C3%A9/SKILL.md", Some("résumé")),
            ("github://owner/repo/pdf/SKILL.md", Some("github:/owner/repo/pdf")),
            ("skill://SKILL.md", Some("")),
        ] {
            let place = Place::of(uri, "SKILL.md");
            assert_eq!(place.as_ref().map(|it| it.package.as_str()), package, "{uri}");
        }
        let others = "skill://pdf/skill.md skill://pdfSKILL.md skill://pdf/SKILL.md?x \
            skill://pdf/SKILL.md#x skill://../SKILL.md skill://a/../b/SKILL.md \
            skill://a/%2e%2e/b/SKILL.md skill://a/./SKILL.md skill://a//SKILL.md \
            skill:///etc/SKILL.md skill://a%2F..%2F..%2Fetc/SKILL.md \
            skill://a%00b/SKILL.md skill://a%5Cb/SKILL.md skill://a%/SKILL.md \
            skill://a%FF/SKILL.md C:\\skills\\SKILL.md /etc/SKILL.md SKILL.md \
            ://pdf/SKILL.md";
        for uri in others.split(' ').chain([""]) {
            assert_eq!(Place::of(uri, "SKILL.md"), None, "{uri}");
        }
        assert_eq!(Place::of(&format!("skill://{}/SKILL.md", "a".repeat(3000)), "SKILL.md"), None);
    }

    #[test]
    fn file_is_below_its_skill() {
        let pdf = Place::of("skill://x/pdf/SKILL.md", "SKILL.md").expect("it is a skill");
        for (uri, path) in [
            ("skill://x/pdf/SKILL.md", Some("SKILL.md")),
            ("skill://x/pdf/references/a%20b.md", Some("references/a b.md")),
            ("skill://x/pdf/nested/SKILL.md", Some("nested/SKILL.md")),
        ] {
            let resource = pdf.resource(uri);
            assert_eq!(resource.as_ref().map(ResourcePath::as_str), path, "{uri}");
        }
        let others = "skill://x/pdf skill://x/pdf/ skill://x/pdf/a/ skill://x/pdfs/a.md \
            skill://x/other/a.md skill://x/pdf/../other/a.md \
            skill://x/pdf/%2e%2e/other/a.md skill://x/pdf/..%2F..%2Fetc/passwd \
            skill://x/pdf/a/../b.md skill://x/pdf/a//b.md skill://x/pdf/%2Fetc/passwd \
            skill://x/pdf/C:%5Ca file:///etc/passwd https://x/pdf/a.md";
        for uri in others.split(' ') {
            assert_eq!(pdf.resource(uri), None, "{uri}");
        }
    }
}
