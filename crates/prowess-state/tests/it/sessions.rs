//! Tests of the sessions in a database file.

use prowess_state::SessionDatabase;
use prowess_testkit::{Tree, check_store};

#[test]
fn database_keeps_every_rule() {
    let tree = Tree::new("");
    let report = check_store(&SessionDatabase::open(tree.join("state.db")).unwrap());
    assert!(report.is_passed(), "{report}");
}
