//! The smallest `SkillSource`: skills of one file. `examples/custom-source` has larger ones.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)]

use std::sync::Arc;

use prowess::SourceErrorKind::{NotFound, TooLarge};
use prowess::{
    Cancel, Error, Found, Listing, PackagePath, PreviousScan, ReadLimit, ResourcePath, Runtime,
    ScanSink, ScanSummary, SkillSource, SourceError,
};

const SKILLS: &[(&str, &str)] =
    &[("tea", "---\nname: tea\ndescription: Brews tea. Use when somebody is thirsty.\n---\n")];

type Result<T> = std::result::Result<T, SourceError>;
struct Table(&'static [(&'static str, &'static str)]);

impl SkillSource for Table {
    fn name(&self) -> &str {
        "table"
    }
    fn root(&self) -> &str {
        "table://kitchen"
    }
    fn scan(
        &self,
        _previous: &PreviousScan<'_>,
        sink: &mut dyn ScanSink,
        _cancel: &Cancel,
    ) -> Result<ScanSummary> {
        for (package, text) in self.0 {
            let (file, head) = ("SKILL.md", text.as_bytes());
            sink.found(Found { package, file, stamp: None, size: None, head, is_whole_file: true });
        }
        Ok(ScanSummary::default())
    }
    fn list(&self, _package: &PackagePath, _most: usize) -> Result<Listing> {
        Ok(Listing { resources: Vec::new(), is_complete: true })
    }
    fn read(
        &self,
        package: &PackagePath,
        file: &ResourcePath,
        limit: ReadLimit,
    ) -> Result<Vec<u8>> {
        let row = self.0.iter().find(|(name, _)| *name == package.as_str());
        match row.filter(|_| file.as_str() == "SKILL.md") {
            None => Err(SourceError::new(NotFound, "there is no such file")),
            Some((_, text)) if text.len() > limit.0 => Err(SourceError::new(TooLarge, "too large")),
            Some((_, text)) => Ok(text.as_bytes().to_vec()),
        }
    }
}

fn main() -> std::result::Result<(), Error> {
    let runtime = Runtime::builder().source("user", Arc::new(Table(SKILLS))).build()?;
    runtime.catalog().skills().for_each(|skill| println!("{}", skill.id()));
    Ok(())
}
