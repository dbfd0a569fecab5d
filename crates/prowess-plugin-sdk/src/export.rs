//! The exports of a plugin.

use abi_stable::library::{
    __call_root_module_loader, CheckTypeLayout, LibHeader, RootModuleResult,
};
use abi_stable::prefix_type::PrefixTypeTrait;
use abi_stable::std_types::RResult;
use prowess_plugin_abi::text::checked;
use prowess_plugin_abi::{
    AbiError, Exports, HostBox, InitRequest, MINOR, PluginModule, PluginModule_Ref,
};

use crate::{Host, Plugin, adapter, config, convert, guard, hook};

/// The output of `rustc --version` when the SDK was built.
pub const RUSTC: &str = env!("PROWESS_RUSTC");
/// The target triple of the SDK.
pub const TARGET: &str = env!("PROWESS_TARGET");
/// The SDK's version.
pub const SDK_VERSION: &str = env!("CARGO_PKG_VERSION");

/// Returns the header that refers to a plugin's root module.
pub const fn header<P: Plugin>() -> LibHeader {
    #[allow(unsafe_code, reason = "the constructor has to be passed with its type")]
    // SAFETY: `load` returns a `PluginModule_Ref`, which is the type parameter.
    unsafe {
        LibHeader::from_constructor::<PluginModule_Ref>(load::<P>, CheckTypeLayout::Yes)
    }
}

extern "C" fn load<P: Plugin>() -> RootModuleResult {
    __call_root_module_loader(module::<P>)
}

/// Returns the root module of a plugin.
pub fn module<P: Plugin>() -> PluginModule_Ref {
    PluginModule { abi_minor: MINOR, init: init::<P> }.leak_into_prefix()
}

extern "C" fn init<P: Plugin>(
    host: HostBox,
    request: InitRequest<'_>,
) -> RResult<Exports, AbiError> {
    guard::run_once(|| {
        let features = request.features.iter().filter_map(|feature| checked(*feature).ok());
        let features = features.map(str::to_owned);
        let host = Host::new(host, features);
        hook::install(&host);
        let config =
            config::decode(convert::text(request.config)?).map_err(|error| error.to_abi())?;
        let registration = P::init(host.clone(), config).map_err(|error| error.to_abi())?;
        Ok(adapter::exports(registration, &host))
    })
}

/// A part of the manifest's text.
#[derive(Clone, Copy)]
pub enum Part {
    /// Literal JSON.
    Json(&'static str),
    /// A string to be encoded as JSON.
    Text(&'static str),
    /// A number.
    Number(u32),
    /// A list of strings.
    List(&'static [&'static str]),
}

/// Returns the length of the text of these parts.
pub const fn text_length(parts: &[Part]) -> usize {
    write(parts, &mut []).0
}

/// Returns the text of these parts. `N` must be their [`text_length`].
pub const fn text<const N: usize>(parts: &[Part]) -> [u8; N] {
    let mut bytes = [0; N];
    write(parts, &mut bytes);
    bytes
}

/// A buffer that counts all bytes, and stores those that fit.
struct Writer<'a>(usize, &'a mut [u8]);

const fn write<'a>(parts: &[Part], into: &'a mut [u8]) -> Writer<'a> {
    let mut writer = Writer(0, into);
    let mut at = 0;
    while at < parts.len() {
        match parts[at] {
            Part::Json(text) => writer.raw(text),
            Part::Text(text) => writer.string(text),
            Part::Number(number) => writer.number(number),
            Part::List(list) => writer.list(list),
        }
        at += 1;
    }
    writer
}

impl Writer<'_> {
    const fn byte(&mut self, byte: u8) {
        if self.0 < self.1.len() {
            self.1[self.0] = byte;
        }
        self.0 += 1;
    }

    const fn raw(&mut self, text: &str) {
        let mut at = 0;
        while at < text.len() {
            self.byte(text.as_bytes()[at]);
            at += 1;
        }
    }

    const fn string(&mut self, text: &str) {
        self.byte(b'"');
        let mut at = 0;
        while at < text.len() {
            self.escaped(text.as_bytes()[at]);
            at += 1;
        }
        self.byte(b'"');
    }

    const fn escaped(&mut self, byte: u8) {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        match byte {
            b'"' | b'\\' => {
                self.byte(b'\\');
                self.byte(byte);
            }
            0..0x20 => {
                self.raw("\\u00");
                self.byte(DIGITS[(byte >> 4) as usize]);
                self.byte(DIGITS[(byte & 0xf) as usize]);
            }
            _ => self.byte(byte),
        }
    }

    const fn number(&mut self, number: u32) {
        let mut unit = 1;
        while number / unit >= 10 {
            unit *= 10;
        }
        while unit > 0 {
            self.byte(b'0' + (number / unit % 10) as u8);
            unit /= 10;
        }
    }

    const fn list(&mut self, list: &[&str]) {
        self.byte(b'[');
        let mut at = 0;
        while at < list.len() {
            if at > 0 {
                self.byte(b',');
            }
            self.string(list[at]);
            at += 1;
        }
        self.byte(b']');
    }
}

/// Exports a plugin from a `cdylib`: its manifest and its root module.
///
/// - The first argument is the type that implements [`Plugin`].
/// - `kinds` lists what it offers: `"source"`, `"tools"` or both.
/// - `config_schema` is the JSON Schema of its configuration, as a string. By default, there is
///   none, and the host does not validate the configuration. [`testing::assert_schema`] compares it
///   with the schema that is generated from the type.
/// - `features` lists features beyond the version of the ABI. By default, there are none. With
///   `"conversation"`, the plugin's tools have access to the catalog and the session of their call,
///   with the rights of the caller. The host reads files and loads skills for them, and a tool's
///   definition may depend on the catalog.
///
/// The name, version, description, licence and homepage are those in the crate's `Cargo.toml`.
///
/// [`testing::assert_schema`]: https://docs.rs/prowess-plugin-sdk
#[macro_export]
macro_rules! export_plugin {
    (
        $plugin:ty,
        kinds = [$($kind:literal),+ $(,)?]
        $(, config_schema = $schema:expr)?
        $(, features = [$($feature:literal),* $(,)?])?
        $(,)?
    ) => {
        const _: () = {
            use $crate::__private as private;
            use $crate::__private::Part::{Json, List, Number, Text};

            const PARTS: &[private::Part] = &[
                Json("{\"manifest\":1,\"name\":"),
                Text(env!("CARGO_PKG_NAME")),
                Json(",\"version\":"),
                Text(env!("CARGO_PKG_VERSION")),
                Json(",\"description\":"),
                Text(env!("CARGO_PKG_DESCRIPTION")),
                Json(",\"license\":"),
                Text(env!("CARGO_PKG_LICENSE")),
                Json(",\"homepage\":"),
                Text(env!("CARGO_PKG_HOMEPAGE")),
                Json(",\"abi\":\""),
                Number(private::MAJOR),
                Json("."),
                Number(private::MINOR),
                Json("\",\"sdk\":"),
                Text(private::SDK_VERSION),
                Json(",\"rustc\":"),
                Text(private::RUSTC),
                Json(",\"target\":"),
                Text(private::TARGET),
                Json(if cfg!(panic = "unwind") {
                    ",\"panic\":\"unwind\""
                } else {
                    ",\"panic\":\"abort\""
                }),
                Json(if cfg!(debug_assertions) {
                    ",\"debug_assertions\":true"
                } else {
                    ",\"debug_assertions\":false"
                }),
                Json(",\"kinds\":"),
                List(&[$($kind),+]),
                Json(",\"features\":"),
                List(&[$($($feature),*)?]),
                $(Json(",\"config_schema\":"), Json($schema),)?
                Json("}"),
            ];
            const BYTES: [u8; private::text_length(PARTS)] = private::text(PARTS);
            const TEXT: &str = match ::core::str::from_utf8(&BYTES) {
                Ok(text) => text,
                Err(_) => panic!("the parts are UTF-8"),
            };

            #[used]
            #[unsafe(no_mangle)]
            #[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__prowess"))]
            #[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".prowess"))]
            pub static PROWESS_PLUGIN_MANIFEST: [u8; private::framed_length(TEXT)] =
                private::frame(TEXT);

                       // The symbol that abi_stable loads; `LibHeader` validates itself when it is
                       // opened.
            #[unsafe(export_name = "_1as_0lib_1header_0root_bmodule_bloader")]
            pub static HEADER: private::LibHeader = private::header::<$plugin>();
        };
    };
}
