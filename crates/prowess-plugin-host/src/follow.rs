//! Plugins are replaced when their files change.

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use notify::event::EventKindMask;
use notify::{Config, Event, RecommendedWatcher, RecursiveMode, Watcher};
use prowess_core::{Diagnostic, Severity};

use crate::{PluginError, PluginHandle, PluginLoader, Reloaded, TrustStore, codes};

/// How long a file is left alone before it is looked at: a copy is more than one write.
const QUIET: Duration = Duration::from_millis(500);
/// A file that never is quiet is looked at after so many times [`QUIET`].
const PATIENCE: usize = 20;

/// Receives a diagnostic for each file that cannot replace the running build.
pub type OnRejectedFile = Arc<dyn Fn(Diagnostic) + Send + Sync>;

/// Follows the files of plugins until it is dropped.
pub struct Follower {
    /// Its end is the thread's.
    watcher: Option<RecommendedWatcher>,
    thread: Option<JoinHandle<()>>,
}

impl Follower {
    /// Follows these plugins, and the file that says what is trusted: half a second after the last
    /// change of one, each file is looked at, and a build that may run takes the place of the old
    /// one. One that may not, or does not begin, is reported once as a diagnostic, and the old one
    /// stays in use.
    ///
    /// Without a trust file, what the loader trusts stays as it is.
    ///
    /// # Errors
    ///
    /// The operating system has no thread or no watch left, or a directory is gone.
    pub fn start(
        loader: PluginLoader,
        plugins: Vec<PluginHandle>,
        trust_file: Option<PathBuf>,
        told: OnRejectedFile,
    ) -> io::Result<Self> {
        let files: BTreeSet<PathBuf> = plugins
            .iter()
            .map(|plugin| plugin.file().to_owned())
            .chain(trust_file.clone())
            .collect();
        let (sender, changes) = mpsc::channel();
        let watcher = watch(&files, sender).map_err(io::Error::other)?;
        let plugins = plugins.into_iter().map(|plugin| (plugin, None)).collect();
        let following = Following { loader, plugins, trust_file, told };
        let thread = thread::Builder::new().name("prowess-plugins".to_owned());
        let thread = thread.spawn(move || following.run(&changes))?;
        Ok(Self { watcher: Some(watcher), thread: Some(thread) })
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        drop(self.watcher.take());
        // A thread that panicked has said so by itself.
        drop(self.thread.take().map(JoinHandle::join));
    }
}

/// Watches the directories, since a file that is installed anew is another one of the same name.
fn watch(files: &BTreeSet<PathBuf>, sender: Sender<()>) -> notify::Result<RecommendedWatcher> {
    let names = files.clone();
    let hear = move |event: notify::Result<Event>| {
        // A watch that lost its place may have missed anything.
        let is_ours = event.map_or(true, |event| {
            event.need_rescan() || event.paths.iter().any(|path| names.contains(path))
        });
        if is_ours {
            // A receiver that is gone was dropped.
            let _ = sender.send(());
        }
    };
    // Without what is only opened or read: otherwise each of our own reads is an event.
    let config = Config::default().with_event_kinds(EventKindMask::CORE);
    let mut watcher = RecommendedWatcher::new(hear, config)?;
    let directories: BTreeSet<_> = files.iter().filter_map(|file| file.parent()).collect();
    for directory in directories {
        watcher.watch(directory, RecursiveMode::NonRecursive)?;
    }
    Ok(watcher)
}

/// The state of the thread.
struct Following {
    loader: PluginLoader,
    /// Each with the last error that was reported.
    plugins: Vec<(PluginHandle, Option<PluginError>)>,
    trust_file: Option<PathBuf>,
    told: OnRejectedFile,
}

impl Following {
    fn run(mut self, changes: &Receiver<()>) {
        while changes.recv().is_ok() {
            for _ in 0..PATIENCE {
                match changes.recv_timeout(QUIET) {
                    Ok(()) => {}
                    Err(RecvTimeoutError::Timeout) => break,
                    Err(RecvTimeoutError::Disconnected) => return,
                }
            }
            self.look();
        }
    }

    fn look(&mut self) {
        match self.trust_file.as_deref().map(TrustStore::read) {
            None => {}
            Some(Ok(trust)) => self.loader.trust = trust,
            // An unreadable trust store trusts nothing.
            Some(Err(error)) => {
                return (self.told)(invalid_trust(error.to_string()));
            }
        }
        let Self { loader, plugins, told, .. } = self;
        for (plugin, last) in plugins {
            match loader.reload(plugin, &loader.trust) {
                Ok(reloaded) => {
                    *last = None;
                    if let Reloaded::Replaced { version, digest } = reloaded {
                        loader.log.replaced(plugin.name(), &version.to_string(), digest);
                    }
                }
                Err(error) if last.as_ref() == Some(&error) => {}
                Err(error) => {
                    told(refused(&error));
                    *last = Some(error);
                }
            }
        }
    }
}

fn refused(error: &PluginError) -> Diagnostic {
    let message = format!("{error}; the build that runs stays in use");
    Diagnostic { message, ..error.to_diagnostic() }
}

fn invalid_trust(message: String) -> Diagnostic {
    let help = "fix the file or move it away";
    Diagnostic::new(codes::PLUGIN_TRUST_INVALID, Severity::Error, message, help)
}
