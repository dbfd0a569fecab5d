use prowess_testkit::rows;
use prowess_text::{counted, plural};

#[test]
fn only_one_is_singular() {
    let sentences = [0_u64, 1, 2].map(|number| counted(number, "skill"));
    assert_eq!(sentences, ["0 skills", "1 skill", "2 skills"]);
}

#[test]
fn plural_follows_the_end_of_the_noun() {
    for row in rows(include_str!("../data/tables.txt"), "plural_follows_the_end_of_the_noun") {
        let [noun, expected] = row.each_ref().map(String::as_str);
        assert_eq!(plural(noun), expected);
    }
}
