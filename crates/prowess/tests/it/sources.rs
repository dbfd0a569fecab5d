//! Sources of every kind in one catalog.

use std::sync::Arc;

use prowess::{MemorySource, State};
use prowess_testkit::Tree;

use crate::dynamic;

const USER: &str = "
//- /skill-writing/SKILL.md
---
name: skill-writing
description: The user's own way.
---
//- /user-only/SKILL.md
---
name: user-only
description: From the disk.
---
";

#[test]
fn files_memory_and_the_program_make_one_catalog() {
    let tree = Tree::new(USER);
    let memory = MemorySource::builder("generated")
        .file("made/SKILL.md", "---\nname: made\ndescription: From memory.\n---\n")
        .build()
        .expect("the path is one");
    let runtime = dynamic::builder()
        .default_skills()
        .skills_directory("user", tree.path())
        .source("project", Arc::new(memory))
        .build()
        .expect("the layers are the standard ones");
    let catalog = runtime.catalog();
    let ids: Vec<_> = catalog.skills().map(|skill| skill.id()).collect();
    assert_eq!(ids, ["made", "prowess-usage", "skill-review", "skill-writing", "user-only"]);
    let own = catalog.get("skill-writing").expect("it is offered");
    assert_eq!(own.description(), "The user's own way.", "the user's layer is above the program's");
    let aside: Vec<_> = catalog.aside().map(|record| (record.location(), record.state())).collect();
    let [(location, State::Shadowed(reason))] = aside.as_slice() else { panic!("{aside:?}") };
    assert_eq!(location, "embedded://prowess/skill-writing/SKILL.md");
    assert!(reason.contains("layer `user`"), "{reason}");
}
