//! Programs that are not known: one that is given the words of a command may run it.

use super::wrapper::has;
use super::{Run, Runs, names};
use crate::HostFiles;

/// The most words of a program in which commands are looked for.
const MAX_WORDS: usize = 1024;
/// The most words of such a command that are compared.
const MAX_COMPARED: usize = 16;

/// Programs whose words are data.
const PLAIN: &str = ": [ alias b2sum base32 base64 basename bg break bzip2 cal cat cd chgrp \
    chmod chown cksum clear cmp column comm continue cp csplit curl cut date dd df diff diff3 dig \
    dir dirname dirs du echo egrep expand export expr factor false fg fgrep file fmt fold free \
    getconf getent grep groups gunzip gzip hash head help hexdump hostname iconv id info jobs join \
    jq kill killall less link ln local locate logger ls lsof man md5sum mkdir mktemp more \
    mv nl nproc numfmt od paste pathchk pgrep pkill popd pr printenv printf ps pushd pwd read \
    readlink realpath return rg rm rmdir rsync scp seq set sha1sum sha224sum sha256sum sha384sum \
    sha512sum shift shred shuf sleep sort split stat strings stty sum sync tac tail tee test touch \
    tr tree true truncate tsort tty type ulimit umask unalias uname unexpand uniq unlink unset \
    unxz unzip uptime users vdir wait wc wget whatis whereis which who whoami xxd xz yes yq zcat \
    zip zipinfo zstd";

/// Adds each run of words in which a command may stand, also within a word.
pub(super) fn follow(runs: &mut Runs, name: &str, run: &Run, files: Option<&dyn HostFiles>) {
    if run.is_guess || has(PLAIN, name) {
        return;
    }
    if run.is_fed {
        return runs.hide(name);
    }
    let is_part = |letter: char| letter.is_alphanumeric() || "._-/+".contains(letter);
    let arguments = run.words.iter().skip(1);
    let words = arguments.flat_map(|word| word.split(|letter| !is_part(letter)));
    let words: Vec<_> = words.filter(|word| !word.is_empty()).map(str::to_owned).collect();
    if words.len() > MAX_WORDS {
        return runs.hide(name);
    }
    for at in 0..words.len() {
        // Only a path is looked up: the search path may have a program of any word's name.
        let files = files.filter(|_| words[at].contains('/'));
        let names = names(words.get(at), files);
        let end = words.len().min(at + MAX_COMPARED);
        let mut mention = |names, words: &[String]| {
            runs.mentioned.push((name.to_owned(), Run { names, ..run.with(words) }));
        };
        mention(names, &words[at..end]);
        // `-crm`
        if let Some(value) = words[at].strip_prefix('-').and_then(|letters| letters.get(1..)) {
            mention(vec![value.to_ascii_lowercase()], &words[at..end]);
        }
    }
}
