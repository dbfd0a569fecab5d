//! The setup of an example: a directory, and a host that scans it.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Arc;

use prowess::registry::Registry;
use prowess::source_fs::Surroundings;
use prowess::state::{ApprovalDatabase, RecordCache, TrustFile};
use prowess::{
    Cancel, ChangeListener, Diagnostic, Error, Found, HostCommands, Layer, Listing, MemorySource,
    NoFolderTrust, PackagePath, Policies, PreviousScan, ReadLimit, ResourcePath, Runtime,
    RuntimeBuilder, ScanSink, ScanSummary, SkillSource, SourceError, SourceErrorKind, Trust, Watch,
};
use prowess_testkit::Tree;

/// The setup of an example.
pub(super) enum Setup {
    /// The directories `user` and `project` of a tree, by these policies, after something was done.
    Tree {
        /// Files, with what is in them.
        files: &'static str,
        policies: &'static str,
        done: fn(&Tree),
    },
    /// As `Tree`, and then reloaded after something more was done.
    Reloaded(&'static str, fn(&Tree)),
    /// A machine with a home and a project whose directory is not trusted.
    Machine { files: &'static str, policies: &'static str, done: fn(&Tree) },
    /// A host that adds sources and policies itself.
    Host(&'static str, fn(&Tree) -> RuntimeBuilder),
    /// A source of a stranger's that misbehaves.
    Source(fn() -> Stranger),
    /// Two sources with one root.
    TwiceTheSame,
    /// A source that is to go by one name.
    Named(fn() -> Arc<MemorySource>),
    /// A file of trusted folders with this text.
    TrustFile(&'static str),
    /// A database of approvals with this text.
    Database(&'static str),
    /// The records of an earlier start, damaged.
    Cache,
}

impl Setup {
    /// Returns the reported diagnostics, with paths relative to the root of the tree.
    pub(super) fn found(&self) -> Vec<Diagnostic> {
        match self {
            Self::Tree { files, policies, done } => {
                let tree = place(files);
                done(&tree);
                match build(&tree, policies) {
                    Ok(runtime) => in_tree(&tree, runtime.catalog().diagnostics()),
                    Err(Error::Root(finding)) => in_tree(&tree, [&*finding]),
                    Err(error) => panic!("it is complete: {error}"),
                }
            }
            Self::Reloaded(files, done) => {
                let tree = place(files);
                let runtime = build(&tree, "").expect("it is complete");
                done(&tree);
                in_tree(&tree, runtime.reload().catalog.diagnostics())
            }
            Self::Machine { files, policies, done } => {
                let tree = place(files);
                done(&tree);
                let policies = policies.replace("$HERE", &tree.path().to_string_lossy());
                let policies = Policies::from_yaml(&policies).expect("the policies are good");
                let policies = policies.with_commands(HostCommands::PROWESS);
                let (home, project) = (tree.join("home"), tree.join("project"));
                let machine = Surroundings::new(Some(home), Some(project));
                let builder = Runtime::builder().policies(policies);
                let runtime = builder.discover(machine, Arc::new(NoFolderTrust)).build();
                in_tree(&tree, runtime.expect("it is complete").catalog().diagnostics())
            }
            Self::Host(files, builder) => {
                let tree = place(files);
                let runtime = builder(&tree).build().expect("it is complete");
                in_tree(&tree, runtime.catalog().diagnostics())
            }
            Self::Source(stranger) => {
                let policies = Policies::from_yaml("refresh: { mode: watch }").expect("it is one");
                let runtime = Runtime::builder().policies(policies);
                let runtime = runtime.source("user", Arc::new(stranger())).build();
                let runtime = runtime.expect("it is complete");
                wait_for_watch(&runtime);
                runtime.catalog().diagnostics().cloned().collect()
            }
            Self::TwiceTheSame => {
                let builder = Runtime::builder().source("user", shelf()).source("project", shelf());
                let runtime = builder.build().expect("it is complete");
                runtime.catalog().diagnostics().cloned().collect()
            }
            Self::Named(source) => {
                let registry = Registry::builder().layer(Layer::new("user", Trust::Trusted));
                let registry = registry.single_skill_source("user", "forms", source()).build();
                let catalog = registry.expect("it is complete").reload().catalog;
                catalog.diagnostics().cloned().collect()
            }
            Self::TrustFile(text) => {
                let tree = Tree::new("");
                tree.write("trust.json", text);
                let folders = TrustFile::new(tree.join("trust.json")).load();
                in_tree(&tree, folders.finding())
            }
            Self::Database(text) => {
                let tree = Tree::new("");
                tree.write("state.db", text);
                let found = ApprovalDatabase::open(tree.join("state.db"));
                let found = found.expect_err("it is no database");
                in_tree(&tree, Some(&*found))
            }
            Self::Cache => {
                let tree = place("//- /user/pdf/SKILL.md\n---\nname: pdf\ndescription: x\n---\n");
                let start = || {
                    let cache = RecordCache::new(tree.join("cache"), "this build");
                    let builder = Runtime::builder().record_cache(cache);
                    let builder = builder.skills_directory("user", tree.join("user"));
                    builder.build().expect("it is complete").catalog()
                };
                start();
                for kept in fs::read_dir(tree.join("cache")).expect("something was kept") {
                    let kept = kept.expect("it can be listed").path();
                    fs::write(kept, "no such thing").expect("it can be spoilt");
                }
                // Each source has a file of a name of its own.
                let unnamed = |found| Diagnostic { path: Some("/cache".into()), ..found };
                in_tree(&tree, start().diagnostics()).into_iter().map(unnamed).collect()
            }
        }
    }
}

fn place(files: &str) -> Tree {
    let tree = Tree::new(files);
    for directory in ["user", "project", "home"] {
        fs::create_dir_all(tree.join(directory)).expect("there is room");
    }
    tree
}

fn build(tree: &Tree, policies: &str) -> Result<Runtime, Error> {
    let policies = Policies::from_yaml(policies).expect("the policies are good");
    let builder = Runtime::builder().policies(policies);
    let builder = builder.tree("user", tree.join("user")).tree("project", tree.join("project"));
    builder.build()
}

fn in_tree<'d>(tree: &Tree, found: impl IntoIterator<Item = &'d Diagnostic>) -> Vec<Diagnostic> {
    let root = tree.path().to_string_lossy().into_owned();
    let strip = |text: &str| text.replace(&root, "");
    let found = found.into_iter().cloned().map(|found| Diagnostic {
        path: found.path.map(|path| strip(&path).into()),
        message: strip(&found.message),
        help: strip(&found.help),
        ..found
    });
    found.collect()
}

/// A source of two skills in memory.
pub(super) fn shelf() -> Arc<MemorySource> {
    let skill = |name: &str| format!("---\nname: {name}\ndescription: Use {name}.\n---\nBody\n");
    let builder = MemorySource::builder("shelf").file("pdf/SKILL.md", skill("pdf"));
    Arc::new(builder.file("tables/SKILL.md", skill("tables")).build().expect("paths are paths"))
}

pub(super) fn no_skill() -> Arc<MemorySource> {
    let builder = MemorySource::builder("shelf").file("README.md", "Nothing.");
    Arc::new(builder.build().expect("paths are paths"))
}

/// Waits until the catalog says how the source is watched, or for the first one if it says nothing.
fn wait_for_watch(runtime: &Runtime) {
    let subscription = runtime.subscribe();
    let is_reported = || runtime.catalog().diagnostics().next().is_some();
    while !is_reported() {
        subscription
            .recv_timeout(std::time::Duration::from_secs(60))
            .expect("a change is reported");
    }
}

/// The misbehaviour of a foreign source.
pub(super) enum Stranger {
    /// It cannot be scanned.
    Away,
    /// It reports a package by a path that leads out.
    LeadsOut,
    /// It cannot be watched.
    Unwatched,
    /// It answers once its scan is cancelled.
    Slow,
}

impl SkillSource for Stranger {
    fn name(&self) -> &str {
        "stranger"
    }

    fn root(&self) -> &str {
        "stranger://shelf"
    }

    fn patience(&self) -> Option<std::time::Duration> {
        matches!(self, Self::Slow).then_some(std::time::Duration::ZERO)
    }

    fn scan(
        &self,
        _previous: &PreviousScan<'_>,
        sink: &mut dyn ScanSink,
        cancel: &Cancel,
    ) -> Result<ScanSummary, SourceError> {
        match self {
            Self::Slow => {
                while !cancel.is_cancelled() {
                    std::thread::yield_now();
                }
            }
            Self::Away => return Err(unavailable("the server does not answer")),
            Self::LeadsOut => {
                let head = b"---\nname: pdf\ndescription: x\n---\n";
                let (package, file) = ("../pdf", "SKILL.md");
                let (stamp, size) = (None, None);
                sink.found(Found { package, file, stamp, size, head, is_whole_file: true });
            }
            Self::Unwatched => {}
        }
        Ok(ScanSummary::default())
    }

    fn watch(&self, _listener: ChangeListener) -> Result<Option<Watch>, SourceError> {
        match self {
            Self::Unwatched => Err(unavailable("there are no watches left")),
            _ => Ok(Some(Watch::new(()))),
        }
    }

    fn list(&self, _package: &PackagePath, _most: usize) -> Result<Listing, SourceError> {
        Err(unavailable("there is nothing"))
    }

    fn read(
        &self,
        _package: &PackagePath,
        _resource: &ResourcePath,
        _limit: ReadLimit,
    ) -> Result<Vec<u8>, SourceError> {
        Err(unavailable("there is nothing"))
    }
}

fn unavailable(message: &str) -> SourceError {
    SourceError::new(SourceErrorKind::Unavailable, message)
}

/// Makes a link.
pub(super) fn link(tree: &Tree, target: &str, place: &str) {
    let target = match target.strip_prefix('/') {
        Some(inside) => tree.join(inside),
        None => target.into(),
    };
    symlink(target, tree.join(place)).expect("a link can be made");
}
