use prowess_text::{counted, plural};

#[test]
fn only_one_is_singular() {
    let sentences = [0_u64, 1, 2].map(|number| counted(number, "skill"));
    assert_eq!(sentences, ["0 skills", "1 skill", "2 skills"]);
}

#[test]
fn plural_follows_the_end_of_the_noun() {
    for (noun, expected) in [
        ("directory", "directories"),
        ("query", "queries"),
        ("day", "days"),
        ("other name", "other names"),
        ("process", "processes"),
        ("match", "matches"),
    ] {
        assert_eq!(plural(noun), expected);
    }
}
