//! `prowess plugin trust` and `revoke`.

use super::Home;

#[test]
fn trust_is_added_listed_and_revoked() {
    let home = Home::new();
    let file = home.install("notes.so", "1.2.0");
    let shown = home.trust(&file);
    assert!(shown.text().contains("notes 1.2.0 is trusted to run as you"), "{shown:?}");
    let listed = home.run(&["plugin", "trust", "--list", "--format", "json"]).json();
    assert_eq!(listed["pins"][0]["name"], "notes", "the pin is listed: {listed:#}");
    assert_eq!(listed["keys"], serde_json::json!([]), "and no key: {listed:#}");
    let revoke = ["plugin", "trust", "--revoke", "notes"];
    let revoked = home.run(&[&revoke[..], &["--format", "json"]].concat()).json();
    assert_eq!(revoked["revoked"][0]["kind"], "pin", "{revoked:#}");
    assert_eq!(revoked["revoked"][0]["name"], "notes", "{revoked:#}");
    home.check_failure(&revoke, "plugin-not-trusted", "nothing is trusted under `notes`");
    let shown = home.run(&["plugin", "inspect", &file.display().to_string()]);
    assert!(shown.text().contains("its pin was revoked"), "the pin is revoked: {shown:?}");
    home.trust(&file);
    let revoked = home.run(&["plugin", "trust", "--revoke", &file.display().to_string()]);
    assert!(revoked.text().contains("`notes` may no longer run"), "by its path: {revoked:?}");
}

#[test]
fn a_key_is_trusted_by_its_file() {
    let home = Home::new();
    let file = home.path.join("author.pub");
    let key = "untrusted comment: minisign public key\n\
               RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3\n";
    std::fs::write(&file, key).expect("a file can be written");
    let file = file.display().to_string();
    home.run(&["plugin", "trust", "--key", &file]).text();
    let listed = home.run(&["plugin", "trust", "--list"]);
    assert!(listed.text().contains("key E7620F1842B4E81F"), "the key has its number: {listed:?}");
    std::fs::write(&file, "no key").expect("a file can be written");
    let message = "cannot be used: it is not a minisign public key";
    home.check_failure(&["plugin", "trust", "--key", &file], "plugin-key-invalid", message);
}

#[test]
fn a_damaged_store_trusts_nothing() {
    let home = Home::new();
    home.trust(&home.install("notes.so", "1.2.0")).text();
    let store = home.path.join(".local/state/prowess/plugins.json");
    std::fs::write(&store, "{").expect("a file can be written");
    for args in [&["plugin", "list"][..], &["plugin", "trust", "--list"]] {
        let error = home.run(&[args, &["--format", "json"]].concat()).error();
        assert_eq!(error["code"], "plugin-trust-invalid", "{error:#}");
    }
}
