//! Identities that sign without keys of their own.

use prowess_signature::Identity;

const GITHUB: &str = "https://token.actions.githubusercontent.com";

#[test]
fn tags_of_a_workflow_are_one_signer() {
    let workflow = "https://github.com/a/skills/.github/workflows/release.yml";
    let identity = |end: &str| Identity::new(GITHUB, &format!("{workflow}{end}")).unwrap();
    let release = identity("@refs/tags/v1.0");
    assert_eq!(release.subject(), format!("{workflow}@refs/tags/*"));
    assert_eq!(identity("@refs/tags/v2@refs/tags/v3"), release);
    assert_ne!(identity("@refs/heads/main"), release, "a branch is another signer");
    assert_ne!(identity("@refs/heads/main"), identity("@refs/heads/other"));
    let elsewhere = Identity::new("https://ci.example", &format!("{workflow}@refs/tags/v1"));
    assert_ne!(elsewhere.unwrap().subject(), release.subject(), "only GitHub names tags so");
}

#[test]
fn identity_is_read_as_it_is_written() {
    let identity = Identity::new("https://accounts.example.com", "ada@example.com").unwrap();
    assert_eq!(identity.to_string(), "https://accounts.example.com ada@example.com");
    assert_eq!(Identity::parse(&identity.to_string()), Ok(identity));
    for text in
        ["", "https://accounts.example.com", "https://a ", " b", "a b c", "a b\n", "a \u{e9}"]
    {
        assert!(Identity::parse(text).is_err(), "{text:?}");
    }
}
