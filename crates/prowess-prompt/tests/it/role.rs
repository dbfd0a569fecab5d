//! Tests of the roles of skills.

use prowess_prompt::Role;

#[test]
fn roles_come_from_names() {
    let cases = [
        ("pdf", 0),
        ("pdf-processing", 2),
        ("data-analysis", 2),
        ("code-review", 0),
        ("xlsx", 0),
        ("skill-creator", 0),
        ("hello", 1),
        ("skill", 2),
        ("git-workflow", 0),
        ("python-dev", 0),
        ("extension-development", 0),
        ("task-decomposition", 0),
        ("kubernetes-deploy", 2),
        ("test-skill", 1),
        ("glucose-monitor", 2),
        ("a", 1),
        ("b", 1),
        ("c", 2),
    ];
    for (name, trit) in cases {
        assert_eq!(Role::of(name).trit(), trit, "`{name}`");
    }
    assert_eq!(Role::ALL.map(Role::colour), ["#F59E0B", "#A855F7", "#2E5FA3"]);
}
