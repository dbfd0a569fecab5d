//! One system call, as `strace` writes it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// A call that succeeded.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) name: String,
    arguments: String,
    result: String,
}

/// A descriptor and the file that it is of.
pub(super) struct Descriptor {
    pub(super) number: u32,
    pub(super) path: PathBuf,
    /// Whether the file has lost this name.
    pub(super) is_deleted: bool,
}

/// Returns the calls of a record that succeeded, in the order of their ends.
pub(super) fn calls(text: &str) -> impl Iterator<Item = Call> {
    let mut unfinished = HashMap::new();
    text.lines().filter_map(move |line| {
        let (process, call) = line.split_once(' ')?;
        let call = call.trim_start();
        if let Some(begin) = call.strip_suffix("<unfinished ...>") {
            unfinished.insert(process.to_owned(), begin.trim_end().to_owned());
            return None;
        }
        let Some((_, end)) = call.strip_prefix("<... ").and_then(|it| it.split_once(" resumed>"))
        else {
            return Call::parse(call);
        };
        let begin: String = unfinished.remove(process)?;
        Call::parse(&format!("{begin}{end}"))
    })
}

impl Call {
    fn parse(text: &str) -> Option<Self> {
        let (call, result) = text.rsplit_once(" = ")?;
        let (name, arguments) = call.trim_end().strip_suffix(')')?.split_once('(')?;
        let is_done = !result.starts_with(['-', '?']);
        is_done.then(|| Self {
            name: name.to_owned(),
            arguments: arguments.to_owned(),
            result: result.to_owned(),
        })
    }

    pub(super) fn text(&self) -> &str {
        &self.arguments
    }

    /// Returns an argument. Structures count as several.
    pub(super) fn argument(&self, number: usize) -> &str {
        let argument = self.arguments.split(", ").nth(number);
        argument.unwrap_or_else(|| panic!("{self:?} has no argument {number}"))
    }

    pub(super) fn number(&self, number: usize) -> usize {
        let argument = self.argument(number);
        argument.parse().unwrap_or_else(|_| panic!("{argument} is no number"))
    }

    pub(super) fn mode(&self, number: usize) -> u32 {
        u32::from_str_radix(self.argument(number), 8).expect("modes are octal")
    }

    pub(super) fn string(&self, number: usize) -> String {
        let argument = self.argument(number);
        let quoted = argument.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        text(quoted.unwrap_or_else(|| panic!("{argument} is no string")))
    }

    /// Returns the path in an argument, below the directory in another one.
    pub(super) fn path(&self, directory: Option<usize>, number: usize) -> PathBuf {
        let path = self.string(number);
        let directory = directory.map(|directory| self.descriptor(directory).path);
        let directory = directory.unwrap_or_else(|| {
            assert!(path.starts_with('/'), "{path} is relative: {self:?}");
            PathBuf::new()
        });
        // `components` leaves out each `.`.
        directory.join(Path::new(&path)).components().collect()
    }

    pub(super) fn descriptor(&self, number: usize) -> Descriptor {
        Descriptor::parse(self.argument(number))
    }

    pub(super) fn descriptors(&self) -> impl Iterator<Item = Descriptor> {
        self.arguments.split(", ").filter(|it| it.contains('<')).map(Descriptor::parse)
    }

    pub(super) fn opened(&self) -> Descriptor {
        Descriptor::parse(&self.result)
    }

    pub(super) fn result(&self) -> i64 {
        let number = self.result.split(' ').next().and_then(|number| number.parse().ok());
        number.unwrap_or_else(|| panic!("{self:?} returns no number"))
    }

    /// Returns the bytes that reached the file.
    pub(super) fn written(&self) -> Vec<u8> {
        let strings = self.arguments.split('"').skip(1).step_by(2);
        let mut written: Vec<u8> = strings.flat_map(bytes).collect();
        written.truncate(usize::try_from(self.result()).expect("it succeeded"));
        written
    }
}

impl Descriptor {
    fn parse(text: &str) -> Self {
        let parts = text.split_once('<').and_then(|(number, rest)| {
            let (path, rest) = rest.split_once('>')?;
            Some((number, path, rest))
        });
        let (number, path, rest) = parts.unwrap_or_else(|| panic!("{text} is no descriptor"));
        // The current directory has no number.
        let number = number.parse().unwrap_or(u32::MAX);
        Self { number, path: self::text(path).into(), is_deleted: rest.contains("(deleted)") }
    }
}

fn text(hexadecimal: &str) -> String {
    String::from_utf8(bytes(hexadecimal)).expect("names are UTF-8")
}

/// Reads bytes like `\x61\x62`.
fn bytes(hexadecimal: &str) -> Vec<u8> {
    let digits = hexadecimal.split("\\x").skip(1);
    digits.map(|digits| u8::from_str_radix(digits, 16).expect("it is a byte")).collect()
}
