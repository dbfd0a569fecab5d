//! Files that may hold credentials are withheld, and documents about them are not.

#[cfg(feature = "archives")]
use prowess_archive::{Archive, File};
use prowess_core::{find_credential, secret_in, withheld_content, withheld_path, without_secrets};

const HEX: &str = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
const RANDOM: &str = "K9vTqz3LmWx8RbNdaa11";

/// Returns the lines of a table, each with whether it is withheld.
fn lines(table: &str) -> impl Iterator<Item = (&str, bool)> {
    let mut is_withheld = false;
    let lines = table.lines().filter(|line| !line.is_empty() && !line.starts_with("# "));
    lines.filter_map(move |line| match line {
        "withheld:" | "public:" => {
            is_withheld = line == "withheld:";
            None
        }
        line => Some((line, is_withheld)),
    })
}

#[test]
fn names_of_credentials_are_withheld() {
    for (paths, is_withheld) in lines(include_str!("../data/withheld-paths.txt")) {
        for path in paths.split(' ') {
            assert_eq!(withheld_path(path).is_some(), is_withheld, "{path}");
        }
    }
}

/// Tokens of which each part has its length and its characters.
#[test]
fn shapes_of_credentials_are_withheld() {
    let of = |kind: &str, length: usize| match kind {
        "h" => HEX[..length].to_owned(),
        "d" => "7319468257"[..length].to_owned(),
        _ => RANDOM.repeat(6)[..length].to_owned(),
    };
    let part = |part: &str| match part.split_at(1) {
        (kind @ ("a" | "d" | "h"), length) => {
            length.parse().map_or(part.to_owned(), |it| of(kind, it))
        }
        _ => part.to_owned(),
    };
    for (shapes, is_withheld) in lines(include_str!("../data/withheld-tokens.txt")) {
        for shape in shapes.split(' ') {
            let text = format!("use {} here\n", shape.split('|').map(part).collect::<String>());
            // The search passes words over, in steps that the text before a token shifts.
            for before in 0..30 {
                let text = format!("{}{text}", &"words, and one with 1 ".repeat(2)[..before]);
                assert_eq!(secret_in(text.as_bytes()).is_some(), is_withheld, "{text}");
            }
            let utf16: Vec<_> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
            assert_eq!(secret_in(&utf16).is_some(), is_withheld, "{text} in UTF-16");
        }
    }
}

#[test]
fn credentials_in_texts_are_withheld() {
    let random = "a0B1c2D3e4F5".repeat(7);
    let starts = "AKIA ASIA SG. glpat- rk_live_ sk_live_ xapp- xoxa- xoxb- xoxp- hf_ AIza ghp_ gho_ ghr_ \
                  ghs_ ghu_ npm_ gsk_ sk-ant- sk-or-v1- sk-proj- AGE-SECRET-KEY-1 dop_v1_ github_pat_ pypi-AgE \
                  dp.pt. nvapi- xai- tvly- sq0atp- CCIPAT_ sntrys_ EAAC";
    for start in starts.split(' ') {
        let length = 60;
        let text = |start: &str| format!("key = \"{start}{}\"\n", &random[..length]);
        assert!(withheld_content("a.md", text(start).as_bytes()).is_some(), "{start}");
        let inside = text(&format!("x{start}"));
        assert_eq!(withheld_content("a.md", inside.as_bytes()), None, "{inside}");
        for placeholder in ["x".repeat(length), "EXAMPLE9".repeat(length), String::new()] {
            let text = format!("{start}{placeholder}");
            assert_eq!(withheld_content("a.md", text.as_bytes()), None, "{text}");
        }
    }
    let values = [("STRONG", "Xk9-mP2vLq8w"), ("RANDOM", RANDOM), ("HEX", HEX)];
    let line = "M".repeat(64);
    let signs = [("LINE", &*line), ("\\n", "\n"), ("\\r", "\r"), ("BREAK", "\\n")];
    let values = values.into_iter().chain(signs);
    for (text, is_secret) in lines(include_str!("../data/withheld-texts.txt")) {
        let text =
            values.clone().fold(text.to_owned(), |it, (name, value)| it.replace(name, value));
        assert_eq!(secret_in(text.as_bytes()).is_some(), is_secret, "{text}");
        assert_eq!(withheld_content("a.md", text.as_bytes()).is_some(), is_secret, "{text}");
    }
    // One byte of another encoding, or a NUL, hides no password; a program has none.
    for (before, is_secret) in
        [(&b"# caf\xe9\n"[..], true), (b"\0", true), (&[0, 1, 2, 0xff].repeat(9), false)]
    {
        let content = [before, b"password = pA7xQ2mZ9kLwB4nV\n"].concat();
        assert_eq!(secret_in(&content).is_some(), is_secret, "{content:?}");
    }
    for name in [".env copy", ".env (1)", ".env - Copy"] {
        assert!(withheld_path(name).is_some(), "{name}");
    }
    let certificate = b"-----BEGIN CERTIFICATE-----\nMII\n";
    assert_eq!(withheld_content("certs/ca.pem", certificate), None);
    assert!(withheld_content("deploy.pem", b"other").is_some(), "nothing says that it is public");
    assert!(withheld_content("tls.key", b"\x30\x82").is_some());
    assert_eq!(withheld_content("deck.key", b"PK\x03\x04"), None);
    for (start, is_key) in [
        (&b"\x30\x82\x04\xa2\x02\x01\0\x02\x82\x01\x01\0"[..], true),
        (b"\x30\x82\x0a\x6a\x02\x01\x03\x30\x82\x09", true),
        (b"\x30\x77\x02\x01\x01\x04\x20", true),
        (b"\x30\x82\x04\xa2\x30\x82\x03\x8a\xa0\x03\x02\x01\x02", false),
    ] {
        assert_eq!(secret_in(&[start, &[0xfe; 99]].concat()).is_some(), is_key, "{start:?}");
    }
}

#[cfg(feature = "archives")]
#[test]
fn archives_are_as_the_files_in_them() {
    let token = format!("ghp_{}", "a0B1c2D3e4F5".repeat(3));
    for (path, content, is_withheld) in [
        ("a/.env", "A=b", true),
        ("a/notes.md", &*format!("use {token}"), true),
        ("a/tls.key", "other", true),
        ("a/notes.md", "use it", false),
        ("node_modules/a.js", "use it", false),
    ] {
        let archive = Archive::new(vec![File::new(path, content)]).unwrap();
        for bytes in [archive.to_tar_gz(), archive.to_tar()] {
            assert_eq!(withheld_content("kit", &bytes).is_some(), is_withheld, "{path} {content}");
        }
    }
    assert_eq!(
        withheld_content("kit", b"BZh91AY&SY"),
        Some("is packed in a way that hides what is in it")
    );
}

/// A long line is read once for each kind of secret: if one of these were read again at each of its
/// words, this would take minutes.
#[test]
fn long_lines_are_read_once() {
    for part in include_str!("../data/parts-of-long-lines.txt").lines() {
        let text = part.repeat((1 << 16) / part.len());
        assert!(without_secrets(&text).len() <= 4 * text.len(), "{part}");
        let credential = find_credential(&text, 0);
        assert!(credential.is_none_or(|range| range.end <= text.len()), "{part}");
        assert!(secret_in(text.as_bytes()).is_none_or(|(at, _)| at < text.len()), "{part}");
    }
}
