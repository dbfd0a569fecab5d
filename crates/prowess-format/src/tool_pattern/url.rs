//! URLs in the words of a command pattern, and what may follow them.

/// Programs for which each word that is no option is a URL, and their options that have no value
/// and neither send nor write a file.
const FETCHING: [(&str, &str, &str); 3] = [
    (
        "curl",
        "#0123456fgiklnqsvILNSV",
        "--compressed --fail --fail-with-body --get --globoff --head --http1.1 --http2 --include \
         --insecure --ipv4 --ipv6 --location --no-buffer --no-progress-meter --progress-bar \
         --show-error --silent --show-headers --tlsv1.2 --verbose",
    ),
    ("wget", "46dqvS", "--debug --no-verbose --quiet --server-response --spider --verbose"),
    ("http https xh xhs aria2c lynx w3m links elinks fetch httpie", "", ""),
];

/// Returns whether a word behind a URL names no other host, and makes the program send or write
/// nothing.
pub(super) fn is_harmless(program: &str, word: &str) -> bool {
    let mut known = FETCHING.iter();
    let known = known.find(|(names, ..)| names.split(' ').any(|name| name == program));
    let Some((_, letters, options)) = known else { return !word.contains([':', '@']) };
    let group = word.strip_prefix('-').filter(|rest| !rest.is_empty() && !rest.starts_with('-'));
    group.is_some_and(|group| group.chars().all(|it| letters.contains(it)))
        || options.split_ascii_whitespace().any(|option| option == word)
}

/// Returns whether a URL has the host of a pattern with these texts before, between and after its
/// `*`: one in the host stands for nothing of a path, and one at its end for a port.
pub(super) fn has_host(texts: &[String], url: &str) -> bool {
    let host = |url: &str| {
        let start = url.find("://").map_or(0, |at| at + 3);
        url[start..].find(['/', '?', '#', '\\']).map_or(url.len(), |at| start + at)
    };
    let whole = texts.join("*");
    let (pattern, own) = (&whole[..host(&whole)], &url[..host(url)]);
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_host = |pattern: &str, own: &str| {
        let parts: Vec<_> = pattern.split('*').map(str::to_owned).collect();
        let is_plain = |it: char| it.is_alphanumeric() || "-_.:/".contains(it);
        is_like(&parts, own) && (parts.len() == 1 || own.chars().all(is_plain))
    };
    let Some(start) = pattern.strip_suffix('*') else { return is_host(pattern, own) };
    let (before, port) = own.rsplit_once(':').unwrap_or((own, ""));
    let is_of_port =
        start.rsplit_once(':').is_some_and(|(host, port)| host == before && is_number(port));
    start.ends_with("://")
        || is_host(start, own)
        || (is_number(port) && (is_of_port || is_host(start, before)))
}

/// Returns whether a text has the parts of a pattern in their order, and anything between them.
pub(super) fn is_like(texts: &[String], text: &str) -> bool {
    let [first, middle @ .., last] = texts else { return texts == [text] };
    let Some(mut rest) = text.strip_prefix(first.as_str()) else { return false };
    for part in middle {
        match rest.split_once(part.as_str()) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    rest.ends_with(last.as_str())
}
