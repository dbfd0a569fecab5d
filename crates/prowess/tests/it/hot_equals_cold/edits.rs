//! One random thing that somebody does to the files.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use prowess_testkit::Random;

use super::place::{OUTSIDE, Place, ROOTS};

/// The directories of packages. Few, so that edits collide.
#[rustfmt::skip]
const PACKAGES: [&str; 12] = [
    "alpha", "beta", "gamma", "group/alpha", "group/delta", "alpha/inner", "beta/deep/inner",
    ".hidden/skill", "node_modules/skipped", "two words", "caf\u{e9}", "cafe\u{301}",
];

/// The names of skills. Few, so that they collide.
const NAMES: [&str; 6] = ["alpha", "beta", "gamma", "delta", "inner", "Not A Name"];

/// Files that cannot be used, each for a reason of its own.
const SPOILT: [&[u8]; 6] = [
    b"",
    b"no frontmatter at all\n",
    b"---\nname: alpha\ndescription: \"unclosed\n---\n",
    b"---\nname: alpha\n---\nno description\n",
    b"---\nname: \xff\xfe\ndescription: not text\n---\n",
    b"---\nname: alpha\nname: beta\ndescription: twice\n---\n",
];

/// The input of an edit.
struct Editor<'a> {
    place: &'a Place,
    random: &'a mut Random,
    story: Vec<String>,
}

type Edit = fn(&mut Editor<'_>) -> io::Result<()>;

/// The first ones are tried more often: without skills there is nothing to spoil.
const EDITS: [(&str, Edit); 25] = [
    ("write", write),
    ("write", write),
    ("write", write),
    ("write", write),
    ("save atomically", save_atomically),
    ("write outside", write_outside),
    ("lower case", lower_case),
    ("upper case", upper_case),
    ("append to the body", append),
    ("overwrite, keeping size and time", overwrite),
    ("spoil", spoil),
    ("grow too large", grow),
    ("touch", touch),
    ("write the same", write_same),
    ("change the mode", change_mode),
    ("remove the file", remove_file),
    ("remove", remove),
    ("rename", rename),
    ("swap", swap),
    ("link the package", link_package),
    ("move out and link", move_out_and_link),
    ("link the file", link_file),
    ("hard link the file", hard_link_file),
    ("something else in the file's place", replace_file),
    ("rename the root", rename_root),
];

/// Makes one edit and returns its name.
///
/// # Errors
///
/// It was impossible as the tree is: there was nothing to rename, say.
pub(super) fn edit(place: &Place, random: &mut Random) -> io::Result<String> {
    let chosen = EDITS[random.below(EDITS.len())];
    make(chosen, place, random)
}

/// Edits that are left out under a watch: the target of a link may be written by another path, or
/// may be outside of the watched directories. Links under a watch have separate tests.
const UNREPORTED: [&str; 5] = [
    "link the file", "hard link the file", "link the package", "move out and link", "write outside",
];

/// As [`edit`], but for what no watch can see the end of.
///
/// # Errors
///
/// As [`edit`].
pub(super) fn edit_under_watch(place: &Place, random: &mut Random) -> io::Result<String> {
    let reported: Vec<_> =
        EDITS.into_iter().filter(|(name, _)| !UNREPORTED.contains(name)).collect();
    make(reported[random.below(reported.len())], place, random)
}

fn make((name, edit): (&str, Edit), place: &Place, random: &mut Random) -> io::Result<String> {
    let mut editor = Editor { place, random, story: vec![format!("  {name}:")] };
    edit(&mut editor)?;
    Ok(editor.story.join(" "))
}

impl Editor<'_> {
    fn tell(&mut self, path: &Path) -> PathBuf {
        self.story.push(path.display().to_string());
        path.to_owned()
    }

    /// The directory of some package, which there may not be.
    fn package(&mut self) -> PathBuf {
        let root = self.random.choose(&ROOTS);
        let package = self.random.choose(&PACKAGES);
        self.tell(&self.place.path(root).join(package))
    }

    /// A directory in no root.
    fn outside(&mut self) -> PathBuf {
        let name = self.random.choose(&["one", "two"]);
        self.tell(&self.place.path(OUTSIDE).join(name))
    }

    /// Some package's `SKILL.md`, under either name.
    fn file(&mut self) -> PathBuf {
        let name = if self.random.below(8) == 0 { "skill.md" } else { "SKILL.md" };
        self.package().join(name)
    }

    /// Some valid text: few enough that the same one comes again.
    fn text(&mut self, directory: &Path) -> String {
        let own = directory.file_name().and_then(|name| name.to_str()).unwrap_or("alpha");
        let name = if self.random.below(2) == 0 { own } else { self.random.choose(&NAMES) };
        let version = self.random.below(4);
        let further = self.random.choose(&[
            "",
            "priority: 7\n",
            "tags: [one, two]\n",
            "unknown: field\n",
            "note: needs: mending\n",
            "metadata:\n  tags: \"three\"\n",
        ]);
        let long = "long ".repeat(if self.random.below(8) == 0 { 1_200 } else { 0 });
        format!("---\nname: {name}\n{further}description: {long}Version {version}.\n---\nBody\n")
    }
}

fn write(editor: &mut Editor<'_>) -> io::Result<()> {
    let file = editor.file();
    write_at(editor, &file)
}

fn write_outside(editor: &mut Editor<'_>) -> io::Result<()> {
    let file = editor.outside().join("SKILL.md");
    write_at(editor, &file)
}

fn write_at(editor: &mut Editor<'_>, file: &Path) -> io::Result<()> {
    let directory = file.parent().expect("a file is in a directory");
    fs::create_dir_all(directory)?;
    fs::write(file, editor.text(directory))
}

fn save_atomically(editor: &mut Editor<'_>) -> io::Result<()> {
    let directory = editor.package();
    let temporary = directory.join(".SKILL.md.swp");
    fs::write(&temporary, editor.text(&directory))?;
    fs::rename(temporary, directory.join("SKILL.md"))
}

fn lower_case(editor: &mut Editor<'_>) -> io::Result<()> {
    let directory = editor.package();
    fs::rename(directory.join("SKILL.md"), directory.join("skill.md"))
}

fn upper_case(editor: &mut Editor<'_>) -> io::Result<()> {
    let directory = editor.package();
    fs::rename(directory.join("skill.md"), directory.join("SKILL.md"))
}

fn append(editor: &mut Editor<'_>) -> io::Result<()> {
    File::options().append(true).open(editor.file())?.write_all(b"More.\n")
}

fn overwrite(editor: &mut Editor<'_>) -> io::Result<()> {
    let file = editor.file();
    let time = fs::metadata(&file)?.modified()?;
    let text = fs::read_to_string(&file).map_err(io::Error::other)?;
    let digit = editor.random.below(10).to_string();
    fs::write(&file, text.replace(|c: char| c.is_ascii_digit(), &digit))?;
    File::options().write(true).open(&file)?.set_modified(time)
}

fn spoil(editor: &mut Editor<'_>) -> io::Result<()> {
    let text = SPOILT[editor.random.below(SPOILT.len())];
    File::options().write(true).truncate(true).open(editor.file())?.write_all(text)
}

fn grow(editor: &mut Editor<'_>) -> io::Result<()> {
    File::options().write(true).open(editor.file())?.set_len(3 << 20)
}

fn touch(editor: &mut Editor<'_>) -> io::Result<()> {
    File::options().write(true).open(editor.file())?.set_modified(SystemTime::now())
}

fn write_same(editor: &mut Editor<'_>) -> io::Result<()> {
    let file = editor.file();
    let text = fs::read(&file)?;
    fs::write(file, text)
}

fn change_mode(editor: &mut Editor<'_>) -> io::Result<()> {
    let mode = if editor.random.below(2) == 0 { 0o600 } else { 0o644 };
    fs::set_permissions(editor.file(), fs::Permissions::from_mode(mode))
}

fn remove_file(editor: &mut Editor<'_>) -> io::Result<()> {
    fs::remove_file(editor.file())
}

fn remove(editor: &mut Editor<'_>) -> io::Result<()> {
    let package = editor.package();
    remove_at(&package)
}

fn remove_at(path: &Path) -> io::Result<()> {
    if fs::symlink_metadata(path)?.is_dir() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    }
}

fn rename(editor: &mut Editor<'_>) -> io::Result<()> {
    let (from, to) = (editor.package(), editor.package());
    fs::rename(from, to)
}

fn swap(editor: &mut Editor<'_>) -> io::Result<()> {
    let (one, other) = (editor.package(), editor.package());
    let aside = editor.place.path("aside");
    fs::rename(&one, &aside)?;
    if fs::rename(&other, &one).is_err() {
        // There is no other, or one lies in the other: it goes back.
        return fs::rename(&aside, &one);
    }
    fs::rename(&aside, &other)
}

fn link_package(editor: &mut Editor<'_>) -> io::Result<()> {
    let link = editor.package();
    let target = match editor.random.below(4) {
        0 => editor.outside(),
        1 => "nowhere".into(),
        2 => link.clone(),
        _ => editor.package(),
    };
    let _ = remove_at(&link);
    symlink(target, link)
}

fn move_out_and_link(editor: &mut Editor<'_>) -> io::Result<()> {
    let (package, outside) = (editor.package(), editor.outside());
    let _ = remove_at(&outside);
    fs::rename(&package, &outside)?;
    symlink(outside, package)
}

fn link_file(editor: &mut Editor<'_>) -> io::Result<()> {
    let package = editor.package();
    let file = package.join("SKILL.md");
    let target = match editor.random.below(4) {
        0 => editor.outside().join("SKILL.md"),
        1 => "SKILL.md".into(),
        _ => {
            fs::create_dir_all(package.join("docs"))?;
            fs::write(package.join("docs/main.md"), editor.text(&package))?;
            "docs/main.md".into()
        }
    };
    let _ = remove_at(&file);
    symlink(target, file)
}

fn hard_link_file(editor: &mut Editor<'_>) -> io::Result<()> {
    let (from, to) = (editor.file(), editor.file());
    let _ = remove_at(&to);
    fs::hard_link(from, to)
}

fn replace_file(editor: &mut Editor<'_>) -> io::Result<()> {
    let file = editor.file();
    let _ = remove_at(&file);
    if editor.random.below(2) == 0 {
        fs::create_dir(file)
    } else {
        UnixListener::bind(file).map(drop)
    }
}

/// A root that goes away and comes back, as a drive does.
fn rename_root(editor: &mut Editor<'_>) -> io::Result<()> {
    let root = editor.place.path(editor.random.choose(&ROOTS));
    let root = editor.tell(&root);
    let away = root.with_extension("away");
    if root.exists() { fs::rename(root, away) } else { fs::rename(away, root) }
}
