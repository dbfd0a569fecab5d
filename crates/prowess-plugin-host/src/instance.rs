//! One instance of a plugin: what its `init` gave.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use abi_stable::std_types::{RResult, RSlice, RStr};
use prowess_core::Digest;
use prowess_plugin_abi::{
    AbiError, Exports, HostBox, InitRequest, MINOR, PluginModule_Ref, SourceBox, SourceInfo,
    ToolsBox, codes, text,
};

use crate::HOST_FEATURES;
use crate::host_api::Ended;

/// The longest message of a plugin that is passed on.
const MAX_MESSAGE_BYTES: usize = 8 << 10;

/// The objects of an instance, and whether it still answers.
pub struct Instance {
    /// Always there until the instance is dropped.
    objects: Option<Objects>,
    end: End,
    is_broken: AtomicBool,
    /// The cache key of each source, if its stamps outlive an instance.
    cache_keys: Vec<Option<String>>,
    /// The digest of its build, if that is known.
    pub(crate) build: Option<Digest>,
    /// The number of the instance; never 0.
    number: u64,
}

/// How an instance ends. Dropped last, when what the plugin left behind is no longer to be heard.
pub struct End {
    /// How long it may take.
    pub grace: Duration,
    /// The flag that the host's object of this instance reads.
    pub ended: Arc<Ended>,
}

impl Drop for End {
    fn drop(&mut self) {
        self.ended.end();
    }
}

/// The plugin's own objects.
pub struct Objects {
    /// Its sources.
    pub sources: Vec<SourceBox>,
    /// Its tool providers.
    pub tools: Vec<ToolsBox>,
}

/// The constant properties of an instance; a later instance has to be like the first.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// Name and root of each source.
    pub sources: Vec<(String, String)>,
    /// How each provider describes its tools, as JSON.
    pub tools: Vec<String>,
}

/// Makes an instance. It takes as long as the plugin's `init` does.
///
/// # Errors
///
/// The plugin refuses, or panics.
pub fn begin(
    module: PluginModule_Ref,
    host: HostBox,
    config: &str,
    end: End,
) -> Result<(Instance, Shape), AbiError> {
    let features = HOST_FEATURES.map(RStr::from);
    let request = InitRequest {
        host_minor: MINOR,
        config: config.into(),
        features: RSlice::from_slice(&features),
        ext: RStr::empty(),
    };
    let exports = plain(module.init()(host, request))?;
    let mut instance = Instance::new(exports, end);
    let shape = instance.describe()?;
    Ok((instance, shape))
}

/// Converts a result of the boundary into one of the standard library.
///
/// # Errors
///
/// The error that the plugin gave.
pub fn plain<T>(answer: RResult<T, AbiError>) -> Result<T, AbiError> {
    match answer {
        RResult::ROk(value) => Ok(value),
        RResult::RErr(error) => Err(readable(&error)),
    }
}

/// The error with texts of the host's own: those of a plugin may be of any length, and of any
/// bytes.
fn readable(error: &AbiError) -> AbiError {
    let message = text::lossy(error.message.as_rstr(), MAX_MESSAGE_BYTES);
    AbiError { flags: error.flags, ..AbiError::new(error.code, &*message) }
}

/// The error of an instance that describes itself in other bytes than text.
fn not_text(what: &str) -> AbiError {
    AbiError::new(codes::INTERNAL, format!("{what} is not UTF-8 text"))
}

impl Instance {
    fn new(exports: Exports, end: End) -> Self {
        let sources = exports.sources.into_iter().collect();
        let tools = exports.tools.into_iter().collect();
        let objects = Some(Objects { sources, tools });
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let is_broken = AtomicBool::default();
        let cache_keys = Vec::new();
        Self { objects, end, is_broken, cache_keys, build: None, number }
    }

    /// Returns the plugin's own objects.
    pub fn objects(&self) -> &Objects {
        self.objects.as_ref().expect("only the drop takes them")
    }

    /// Returns the number of the instance, which no other one of this process has.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Returns the origin of a source's stamps.
    pub(crate) fn stamps(&self, source: usize) -> Stamps {
        match (self.build, self.cache_keys.get(source)) {
            (Some(build), Some(Some(key))) => Stamps::OfBuild(format!("{build}\n{key}")),
            _ => Stamps::OfInstance(self.number),
        }
    }

    /// Whether one of its objects has panicked.
    pub(crate) fn is_broken(&self) -> bool {
        self.is_broken.load(Ordering::Acquire)
    }

    /// Returns true for the first caller.
    pub(crate) fn break_down(&self) -> bool {
        !self.is_broken.swap(true, Ordering::AcqRel)
    }

    fn describe(&mut self) -> Result<Shape, AbiError> {
        let source = |source: &SourceBox| {
            let SourceInfo { name, root, ext } = plain(source.describe())?;
            let name = text::checked_string(name).map_err(|_| not_text("the name of a source"))?;
            let root = text::checked_string(root).map_err(|_| not_text("the root of a source"))?;
            Ok(((name, root), cache_key(text::checked(ext.as_rstr()).unwrap_or_default())))
        };
        let tools = |tools: &ToolsBox| {
            let described = text::checked_string(plain(tools.tools())?);
            described.map_err(|_| not_text("the description of its tools"))
        };
        let sources = self.objects().sources.iter().map(source);
        let (sources, keys) = sources.collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
        let tools = self.objects().tools.iter().map(tools).collect::<Result<_, _>>()?;
        self.cache_keys = keys;
        Ok(Shape { sources, tools })
    }
}

/// The origin of stamps, which decides whether two can be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stamps {
    /// With those of the same instance: another one may mean something else by the same stamp.
    OfInstance(u64),
    /// With those of every instance of one build that has this key, in this run or in another.
    OfBuild(String),
}

/// The cache key in the `ext` field of a source. Unknown keys are ignored, and so is text that is
/// not an object.
fn cache_key(ext: &str) -> Option<String> {
    #[derive(Default, serde::Deserialize)]
    struct Ext {
        cache_key: Option<String>,
    }

    serde_json::from_str::<Ext>(ext).unwrap_or_default().cache_key
}

/// The plugin ends its threads and drops its objects. That is its code, so it may hang: it gets a
/// thread of its own and some time, and is left behind when that is over.
impl Drop for Instance {
    fn drop(&mut self) {
        let objects = self.objects.take();
        let grace = self.end.grace;
        let (sender, ended) = mpsc::channel::<()>();
        let end = move || {
            // Dropped last, which wakes the waiting thread.
            let _sender = sender;
            objects.iter().for_each(|objects| objects.shut_down(grace));
            drop(objects);
        };
        if thread::Builder::new().name("prowess-plugin-end".into()).spawn(end).is_ok() {
            // The channel closes when all is dropped; nothing is ever sent.
            let _ = ended.recv_timeout(grace);
        }
    }
}

impl Objects {
    fn shut_down(&self, grace: Duration) {
        let milliseconds = u64::try_from(grace.as_millis()).unwrap_or(u64::MAX);
        // An object that cannot be shut down is dropped.
        self.sources.iter().for_each(|source| drop(source.shutdown(milliseconds)));
        self.tools.iter().for_each(|tools| drop(tools.shutdown(milliseconds)));
    }
}
