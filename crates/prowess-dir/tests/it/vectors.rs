//! The guard of paths beside the model of paths, which is next to `prowess-core`.

use prowess_dir::{Dir, ErrorKind, Links};
use prowess_testkit::{for_each_short_path, replay_model};

/// Returns whether the text of a path is refused, whatever files there are.
fn is_refused(directory: &Dir, path: &str) -> bool {
    let refusals = [ErrorKind::Escape, ErrorKind::Malformed];
    directory.stat(path, Links::Refuse).is_err_and(|error| refusals.contains(&error.kind()))
}

#[test]
fn path_is_refused_as_in_the_model() {
    let place = tempfile::tempdir().expect("there is room");
    let directory = Dir::open(place.path()).expect("it is there");
    let vectors = include_str!("../../../prowess-core/model/vectors/path.jsonl");
    replay_model(vectors, |question, model| {
        let is_accepted = !is_refused(&directory, question.text(0));
        [&model[..1], &[is_accepted.into()], &model[2..]].concat()
    });
}

/// Lemma D3, for each short path: what is not refused goes up nowhere.
#[test]
fn every_short_path_goes_up_nowhere_or_is_refused() {
    let place = tempfile::tempdir().expect("there is room");
    let directory = Dir::open(place.path()).expect("it is there");
    for_each_short_path(|path| {
        let goes_up = path.starts_with('/') || path.split('/').any(|part| part == "..");
        let is_odd = goes_up || path.contains('\0');
        assert_eq!(is_refused(&directory, path), is_odd, "{path:?}");
    });
}
