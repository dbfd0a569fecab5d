//! Reloads plugins when their files change.

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

/// The time without changes after which a file is checked: a copy consists of several writes.
const DEBOUNCE: Duration = Duration::from_millis(500);
/// The maximum number of times that a further change delays the check.
const MAX_DELAYS: usize = 20;

/// Receives a diagnostic for each file that cannot replace the running build.
pub type OnRejectedFile = Arc<dyn Fn(Diagnostic) + Send + Sync>;

/// Watches the files of plugins and reloads them, until it is dropped.
pub struct Follower {
    /// Dropped first, which ends the thread.
    watcher: Option<RecommendedWatcher>,
    thread: Option<JoinHandle<()>>,
}

impl Follower {
    /// Starts to watch the files of these plugins and the trust store. Half a second after the last
    /// change, each changed plugin is reloaded. If the new build may not run or does not start,
    /// `on_rejected` receives a diagnostic once, and the old build keeps running.
    ///
    /// Without a trust file, the loader's trust store does not change.
    ///
    /// # Errors
    ///
    /// Returns an error if a thread or a watch cannot be created, or a directory does not exist.
    pub fn start(
        loader: PluginLoader,
        plugins: Vec<PluginHandle>,
        trust_file: Option<PathBuf>,
        on_rejected: OnRejectedFile,
    ) -> io::Result<Self> {
        let files: BTreeSet<PathBuf> = plugins
            .iter()
            .map(|plugin| plugin.file().to_owned())
            .chain(trust_file.clone())
            .collect();
        let (sender, changes) = mpsc::channel();
        let watcher = watch(&files, sender).map_err(io::Error::other)?;
        let plugins = plugins.into_iter().map(|plugin| (plugin, None)).collect();
        let reloads = ReloadThread { loader, plugins, trust_file, on_rejected };
        let thread = thread::Builder::new().name("prowess-plugins".to_owned());
        let thread = thread.spawn(move || reloads.run(&changes))?;
        Ok(Self { watcher: Some(watcher), thread: Some(thread) })
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        drop(self.watcher.take());
        // The panic hook has already reported a panic of the thread.
        drop(self.thread.take().map(JoinHandle::join));
    }
}

/// Watches the directories of the files, since an installation replaces the file itself.
fn watch(files: &BTreeSet<PathBuf>, sender: Sender<()>) -> notify::Result<RecommendedWatcher> {
    let names = files.clone();
    let on_event = move |event: notify::Result<Event>| {
        // After an error the watch may have missed any change.
        let is_ours = event.map_or(true, |event| {
            event.need_rescan() || event.paths.iter().any(|path| names.contains(path))
        });
        if is_ours {
            // The receiver is only dropped together with the follower.
            let _ = sender.send(());
        }
    };
    // Without open and read events, which this thread's own reads would cause.
    let config = Config::default().with_event_kinds(EventKindMask::CORE);
    let mut watcher = RecommendedWatcher::new(on_event, config)?;
    let directories: BTreeSet<_> = files.iter().filter_map(|file| file.parent()).collect();
    for directory in directories {
        watcher.watch(directory, RecursiveMode::NonRecursive)?;
    }
    Ok(watcher)
}

/// The state of the thread that reloads plugins.
struct ReloadThread {
    loader: PluginLoader,
    /// The plugins, each with the last reported error.
    plugins: Vec<(PluginHandle, Option<PluginError>)>,
    trust_file: Option<PathBuf>,
    on_rejected: OnRejectedFile,
}

impl ReloadThread {
    fn run(mut self, changes: &Receiver<()>) {
        while changes.recv().is_ok() {
            for _ in 0..MAX_DELAYS {
                match changes.recv_timeout(DEBOUNCE) {
                    Ok(()) => {}
                    Err(RecvTimeoutError::Timeout) => break,
                    Err(RecvTimeoutError::Disconnected) => return,
                }
            }
            self.reload_all();
        }
    }

    fn reload_all(&mut self) {
        match self.trust_file.as_deref().map(TrustStore::read) {
            None => {}
            Some(Ok(trust)) => self.loader.trust = trust,
            // Without a trust store no plugin may be replaced.
            Some(Err(error)) => {
                return (self.on_rejected)(invalid_trust(error.to_string()));
            }
        }
        let Self { loader, plugins, on_rejected, .. } = self;
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
                    on_rejected(refused(&error));
                    *last = Some(error);
                }
            }
        }
    }
}

fn refused(error: &PluginError) -> Diagnostic {
    let message = format!("{error}; the old build keeps running");
    Diagnostic { message, ..error.to_diagnostic() }
}

fn invalid_trust(message: String) -> Diagnostic {
    let help = "fix the file or move it away";
    Diagnostic::new(codes::PLUGIN_TRUST_INVALID, Severity::Error, message, help)
}
