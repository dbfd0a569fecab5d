//! Two skills with one name in one layer.

use std::collections::BTreeSet;
use std::fs;

use prowess::registry::Collision;
use prowess::{Diagnostic, Layer, Policies, Runtime, Severity, Trust};
use prowess_testkit::Tree;

use crate::dynamic;

/// Creates the packages in this order, and returns the names as the system lists them.
fn listed(tree: &Tree, packages: &[String; 2]) -> Vec<String> {
    for package in packages {
        let text = format!("---\nname: deploy\ndescription: Deploys.\n---\nBody of {package}\n");
        tree.write(&format!("{package}/SKILL.md"), text);
    }
    let entries = fs::read_dir(tree.path()).expect("it can be listed");
    let names = entries.map(|entry| entry.expect("it can be listed").file_name());
    names.map(|name| name.to_string_lossy().into_owned()).collect()
}

fn runtime(tree: &Tree) -> Runtime {
    let mut policies = Policies::default();
    policies.registry.collision = Collision::Shadow;
    policies.layers = vec![Layer::new("personal", Trust::Trusted)];
    let builder = dynamic::builder().policies(policies);
    let runtime = builder.skills_directory("personal", tree.path()).build();
    runtime.expect("the runtime is complete")
}

#[test]
fn order_of_a_directory_does_not_decide() {
    let mut orders = BTreeSet::new();
    for run in 0..100 {
        // Some systems list by a hash of the name, others by the time of creation.
        let [first, second] = [format!("a-{run}"), format!("b-{run}")];
        let mut packages = [first.clone(), second.clone()];
        if run % 2 == 1 {
            packages.reverse();
        }
        let tree = Tree::new("");
        orders.insert(listed(&tree, &packages) == [first.clone(), second.clone()]);
        let runtime = runtime(&tree);
        let catalog = runtime.catalog();
        let used = catalog.get("deploy").expect("one of them is used").location();
        let expected = tree.join(&format!("{first}/SKILL.md"));
        assert_eq!(used, expected.to_string_lossy(), "run {run}");
        let names_both = |found: &Diagnostic| {
            let text = format!("{found} {}", found.help);
            found.severity == Severity::Warning && text.contains(&first) && text.contains(&second)
        };
        let found: Vec<_> = catalog.diagnostics().collect();
        assert!(found.iter().any(|found| names_both(found)), "run {run}: {found:#?}");
    }
    assert_eq!(orders.len(), 2, "the system has listed them in both orders");
}
