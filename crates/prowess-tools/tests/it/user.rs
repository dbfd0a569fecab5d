//! Skills that a user chooses by typing.

use prowess_tools::{completions, explicit_activation};

use crate::fixture::{Host, Setup};

#[test]
fn message_that_begins_with_a_skill_chooses_it() {
    let host = Host::new(Setup::default());
    let typed = |message: &'static str| {
        let found = explicit_activation(&host.catalog, message);
        found.map(|activation| (activation.reference, activation.rest))
    };
    assert_eq!(typed("/alpha  do it "), Some(("alpha", "do it")));
    assert_eq!(typed(" $beta"), Some(("beta", "")));
    for message in ["alpha", "/etc/hosts", "$5", "/", "", "do /alpha"] {
        assert_eq!(typed(message), None, "{message:?} is only a message");
    }
}

#[test]
fn completions_ignore_case_and_have_a_limit() {
    let host = Host::new(Setup::default());
    let ids = |prefix: &str, limit: usize| -> Vec<String> {
        let found = completions(&host.catalog, prefix, limit);
        found.iter().map(|record| record.id().to_owned()).collect()
    };
    assert_eq!(ids("AL", 9), ["alpha"]);
    assert_eq!(ids("", 1), ["alpha"], "the first by id");
    assert_eq!(ids("zz", 9), [""; 0]);
}
