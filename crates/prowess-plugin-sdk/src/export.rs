//! The exports of a plugin's file.

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
/// The target of the SDK.
pub const TARGET: &str = env!("PROWESS_TARGET");
/// The SDK's version.
pub const SDK_VERSION: &str = env!("CARGO_PKG_VERSION");

/// The header that leads to a plugin's module.
pub const fn header<P: Plugin>() -> LibHeader {
    #[allow(unsafe_code, reason = "the constructor has to be named with its type")]
    // SAFETY: `load` gives a `PluginModule_Ref`, which is the type that is named here.
    unsafe {
        LibHeader::from_constructor::<PluginModule_Ref>(load::<P>, CheckTypeLayout::Yes)
    }
}

extern "C" fn load<P: Plugin>() -> RootModuleResult {
    __call_root_module_loader(module::<P>)
}

/// The module of a plugin, as its header leads to it.
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

/// A piece of the manifest's text.
#[derive(Clone, Copy)]
pub enum Part {
    /// JSON as it is.
    Json(&'static str),
    /// A text that becomes a string of JSON.
    Text(&'static str),
    /// A number.
    Number(u32),
    /// A list of strings.
    List(&'static [&'static str]),
}

/// How long the text of these parts is.
pub const fn text_length(parts: &[Part]) -> usize {
    write(parts, &mut []).0
}

/// The text of these parts; `N` is [`text_length`] of them.
pub const fn text<const N: usize>(parts: &[Part]) -> [u8; N] {
    let mut bytes = [0; N];
    write(parts, &mut bytes);
    bytes
}

/// A place to write to. What does not fit is counted and not written.
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

/// Makes a `cdylib` a plugin: writes its manifest and the way to its code.
///
/// - The first argument is the type that implements [`Plugin`].
/// - `kinds` says what it offers: `"source"`, `"tools"` or both.
/// - `config_schema` is the JSON Schema of its configuration, as text. By default there is none,
///   and a host hands over what the operator wrote unchecked. [`testing::assert_schema`] compares
///   it with the one that is made from the type.
/// - `features` are words for what it can do beyond the boundary's version. By default there
///   are none. With `"conversation"`, the host shows its tools the catalog and the session that
///   they are called in, as far as the caller of the call can see them. Files are read and skills
///   are loaded by the host, and a definition may depend on the catalog.
///
/// Name, version, description, licence and homepage come from the crate's `Cargo.toml`.
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
                Err(_) => panic!("texts make a text"),
            };

            #[used]
            #[unsafe(no_mangle)]
            #[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__prowess"))]
            #[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".prowess"))]
            pub static PROWESS_PLUGIN_MANIFEST: [u8; private::framed_length(TEXT)] =
                private::frame(TEXT);

            // The name that abi_stable looks for; `LibHeader` checks itself when it is opened.
            #[unsafe(export_name = "_1as_0lib_1header_0root_bmodule_bloader")]
            pub static HEADER: private::LibHeader = private::header::<$plugin>();
        };
    };
}
