//! The rules that every source keeps.

use std::sync::Arc;

use prowess_source_fs::{FsConfig, Links, Nested};
use prowess_testkit::{DirectoryFixture, check_source, time_after_changes};

use crate::source;

#[test]
fn the_rules_are_kept_in_each_kind_of_tree() {
    for (links, nested, is_old) in [
        (Links::Follow, Nested::Stop, false),
        // The kit compared the stamps of old files with themselves.
        (Links::Follow, Nested::Stop, true),
        (Links::WithinRoot, Nested::Descend, false),
        (Links::Never, Nested::Stop, false),
    ] {
        let mut fixture = DirectoryFixture::new(|root| {
            let source = source(FsConfig { links, nested, ..FsConfig::new(root) });
            match is_old {
                true => Arc::new(source.with_old_changes(time_after_changes(root))),
                false => Arc::new(source),
            }
        });
        fixture.is_watched = cfg!(feature = "watch");
        check_source(&fixture);
    }
}
