//! The source.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use prowess_core::{
    Cancel, ChangeListener, Clock, Diagnostic, Digest, FileMode, Found, Listing, PackageDigest,
    PackagePath, PreviousScan, ReadFurther, ReadLimit, Resource, ResourcePath, ScanSink,
    ScanSummary, Severity, SkillSource, SourceError, SourceErrorKind, Watch,
};
use prowess_source_remote::{HttpEndpoint, HttpOptions};
use prowess_text::quoted;

use crate::changes::Changes;
use crate::codes;
use crate::connection::Address;
use crate::error::{CallError, Error};
use crate::label::Label;
use crate::link::Link;
use crate::options::{McpOptions, McpServer};
use crate::place::Place;
use crate::shared::Shared;
use crate::skill::{MAX_BYTES, SKILL_FILE, Skill};
use crate::watch_thread::WatchThread;

/// The longest time of one request, so that no time is beyond what a clock can show.
const LONGEST_TIMEOUT: Duration = Duration::from_secs(24 * 60 * 60);

/// The skills of an MCP server.
///
/// The listing is read when it is due: by a thread as long as the source is watched, and by scans
/// otherwise. Files are read when they are asked for, and compared with the listing each time.
pub struct McpSource {
    shared: Arc<Shared>,
    /// The part of the configuration that the listing depends on.
    key: String,
}

impl McpSource {
    /// Creates a source of the server that the host calls `label`. Nothing is connected yet.
    ///
    /// # Errors
    ///
    /// The URL may not be requested, or a named skill has no URI of a skill.
    pub fn new(
        label: &Label,
        server: McpServer,
        clock: Arc<dyn Clock>,
        options: McpOptions,
    ) -> Result<Self, Error> {
        let named = options.named_skills.iter();
        if let Some(uri) = named.clone().find(|uri| Place::of(uri, SKILL_FILE).is_none()) {
            return Err(Error::SkillUri(quoted(uri)));
        }
        let key = key(label, &server, &options);
        let options = McpOptions { timeout: options.timeout.min(LONGEST_TIMEOUT), ..options };
        let address = match server {
            McpServer::Command(command) => Address::Command(command),
            McpServer::Url { url, http } => {
                let http = HttpOptions { timeout: options.timeout, ..http };
                Address::Url(Arc::new(HttpEndpoint::new(&url, http).map_err(Error::Url)?))
            }
        };
        let changes = Arc::new(Changes::default());
        let link = Link::new(address, Arc::clone(&clock), Arc::clone(&changes));
        let root = format!("mcp://{label}");
        Ok(Self { shared: Arc::new(Shared::new(root, options, link, clock, changes)), key })
    }

    /// Reports a skill with the frontmatter of the listing. If that has none, or if the sink asks
    /// for more, it is reported with the whole file.
    fn report(
        &self,
        skill: &Skill,
        sink: &mut dyn ScanSink,
        cancel: &Cancel,
    ) -> Result<(), SourceError> {
        let found = Found {
            package: skill.package(),
            file: skill.file,
            stamp: Some(skill.stamp),
            size: skill.skill_md().and_then(|(_, file)| file.size),
            head: &[],
            is_whole_file: false,
        };
        if let Some(listed) = &skill.frontmatter {
            let answer = sink.found(Found { head: listed.head.as_bytes(), ..found });
            if !matches!(answer, ReadFurther::UpTo(_)) {
                return Ok(());
            }
        }
        let path = skill.skill_md().map(|(path, _)| path).ok_or_else(no_instructions)?;
        match self.shared.read(skill, path, MAX_BYTES, cancel) {
            Ok(bytes) => {
                sink.found(Found { head: &bytes, is_whole_file: true, ..found });
            }
            Err(error) if error.kind == SourceErrorKind::Cancelled => return Err(error),
            Err(error) => {
                let help = "report it to the operator of the server";
                let code = codes::MCP_SKILL_UNREADABLE;
                let finding = Diagnostic::new(code, Severity::Error, error.message, help);
                let path = format!("{}/{}/{}", self.root(), skill.package(), skill.file);
                sink.unreadable(skill.package(), finding.in_file(path));
            }
        }
        Ok(())
    }

    /// Returns the size of a file. One whose size is not listed is read.
    fn size(&self, skill: &Skill, path: &ResourcePath) -> Result<u64, SourceError> {
        let listed = skill.files.get(path).and_then(|file| file.size);
        listed.map_or_else(
            || {
                let read = self.shared.read(skill, path, MAX_BYTES, &Cancel::default())?;
                Ok(read.len() as u64)
            },
            Ok,
        )
    }
}

/// Returns what the records of a source depend on. It has no secrets of a command.
fn key(label: &Label, server: &McpServer, options: &McpOptions) -> String {
    let text = match server {
        McpServer::Command(command) => format!("{:?} {:?}", command.program, command.arguments),
        McpServer::Url { url, .. } => url.clone(),
    };
    let text = format!("{text}\n{}", options.named_skills.join("\n"));
    format!("{label} {}", Digest::of(text.as_bytes()))
}

fn no_instructions() -> SourceError {
    SourceError::new(SourceErrorKind::NotFound, "the skill has no `SKILL.md`")
}

impl fmt::Debug for McpSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("McpSource").field("root", &self.root()).finish_non_exhaustive()
    }
}

impl SkillSource for McpSource {
    fn name(&self) -> &str {
        "mcp"
    }

    fn root(&self) -> &str {
        &self.shared.root
    }

    fn cache_key(&self) -> Option<String> {
        Some(self.key.clone())
    }

    fn patience(&self) -> Option<Duration> {
        self.shared.options.patience
    }

    fn scan(
        &self,
        previous: &PreviousScan<'_>,
        sink: &mut dyn ScanSink,
        cancel: &Cancel,
    ) -> Result<ScanSummary, SourceError> {
        self.shared.refresh_if_due(cancel)?;
        let listing = self.shared.known(cancel)?;
        for skill in listing.skills.values() {
            if cancel.is_cancelled() {
                return Err(CallError::Cancelled.into_source_error());
            }
            if previous.stamp(skill.package()) == Some(skill.stamp) {
                sink.unchanged(skill.package());
            } else {
                self.report(skill, sink, cancel)?;
            }
        }
        for finding in self.shared.findings() {
            sink.problem(finding);
        }
        Ok(ScanSummary::default())
    }

    fn watch(&self, listener: ChangeListener) -> Result<Option<Watch>, SourceError> {
        let thread = WatchThread::start(&self.shared, listener).map_err(|error| {
            let message = format!("no thread can be started: {error}");
            SourceError::new(SourceErrorKind::Unavailable, message)
        })?;
        Ok(Some(Watch::new(thread)))
    }

    fn list(&self, package: &PackagePath, most: usize) -> Result<Listing, SourceError> {
        let skill = self.shared.skill(package, &Cancel::default())?;
        let others = skill.files.keys().filter(|path| path.as_str() != skill.file);
        let is_complete = others.clone().nth(most).is_none();
        let resource = |path: &ResourcePath| {
            Ok(Resource { path: path.clone(), bytes: self.size(&skill, path)? })
        };
        let resources = others.take(most).map(resource).collect::<Result<_, SourceError>>()?;
        Ok(Listing { resources, is_complete })
    }

    fn read(
        &self,
        package: &PackagePath,
        resource: &ResourcePath,
        limit: ReadLimit,
    ) -> Result<Vec<u8>, SourceError> {
        let cancel = Cancel::default();
        let skill = self.shared.skill(package, &cancel)?;
        self.shared.read(&skill, resource, limit.0, &cancel)
    }

    /// Returns the listed digests: each read is compared with them, so no file is read before it is
    /// needed. Only a file without one is read.
    fn package_contents(
        &self,
        package: &PackagePath,
        cancel: &Cancel,
    ) -> Result<PackageDigest, SourceError> {
        let skill = self.shared.skill(package, cancel)?;
        let mut digest = PackageDigest::default();
        for (path, file) in &skill.files {
            let content = match file.digest {
                Some(content) => content,
                None => Digest::of(&self.shared.read(&skill, path, MAX_BYTES, cancel)?),
            };
            digest.add(FileMode::Regular, path.as_str(), content);
        }
        Ok(digest)
    }
}
