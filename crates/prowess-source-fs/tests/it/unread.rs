//! Skills that a policy does not search, and the settings that add them.

use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use prowess_source_fs::{DirectoryOfSkills, Discovery, ProjectSearch, Surroundings, Unread};
use prowess_testkit::Tree;

use crate::discovery::{further, policy, surroundings};

/// A tree with a repository and these skills.
fn tree<'s>(skills: impl IntoIterator<Item = &'s str>) -> Tree {
    let tree = Tree::new("//- /repo/.git/HEAD\n");
    for skill in skills {
        tree.write(&format!("{skill}/SKILL.md"), "it");
    }
    tree
}

/// The columns of a row.
fn columns<const N: usize>(row: &str) -> [&str; N] {
    row.split(';').collect::<Vec<_>>().try_into().expect("a row has all columns")
}

/// Each directory with its number of skills.
fn lines(tree: &Tree, directories: &[DirectoryOfSkills]) -> Vec<String> {
    let line = |it: &DirectoryOfSkills| {
        let directory = it.directory.strip_prefix(tree.path()).unwrap_or(&it.directory);
        format!("{} {}", directory.display(), it.skills.len())
    };
    directories.iter().map(line).collect()
}

fn all(policy: &Discovery, around: &Surroundings) -> Unread {
    policy.unread(around, &BTreeSet::from(["at/which/a/search/ended".into()]), Vec::new)
}

/// The unread directories, and the settings that add them.
fn unread(tree: &Tree, policy: &Discovery, working: &str) -> (Vec<String>, Vec<String>) {
    let surroundings = surroundings(tree, working);
    let unread = all(policy, &surroundings).directories;
    let directories = unread.iter().map(|it| it.directory.as_path());
    let settings = policy.settings_that_add(directories, &surroundings);
    let place = |path: &str| path.replace(&format!("{}/", tree.path().display()), "");
    let settings = settings.iter().map(|it| {
        let file = if it.is_of_project { "project: " } else { "" };
        format!("{file}{}=[{}]", it.key, place(&it.values.join(", ")))
    });
    (lines(tree, &unread), settings.collect())
}

#[test]
fn skills_of_other_clients_are_seen_and_can_be_added() {
    let tree = tree(include_str!("../data/unread/of_clients.txt").lines());
    fs::create_dir_all(tree.join("repo/.links/skills")).unwrap();
    let link = tree.join("repo/.links/skills/read");
    symlink("../../.agents/skills/read", link).unwrap();
    let (directories, settings) = unread(&tree, &policy(), "repo/app");
    let expected = "repo/.acme/skills 2, repo/skills 1, home/.config/tool-x/skills 1, \
                    home/.tool/skills 1";
    assert_eq!(directories.join(", "), expected, "neither what is read nor links to it are unread");
    let expected = [
        "discovery.also=[acme, tool]",
        "discovery.roots.user=[home/.config/tool-x/skills]",
        "project: discovery.also=[./skills]",
    ];
    assert_eq!(settings, expected);
}

#[test]
fn skills_in_the_depth_of_clients_are_seen() {
    let places: Vec<_> = include_str!("../data/unread/in_depth.txt").lines().collect();
    let not_seen = ["home/.cache/x/skills", "repo/.claude/worktrees/x/skills"];
    let tree = Tree::new("//- /repo/.git/HEAD\n//- /repo/packages/a/main\n");
    for place in places.iter().chain(&not_seen) {
        tree.write(&format!("{place}/it/SKILL.md"), "it");
    }
    let found: Vec<_> = places.iter().map(|place| format!("{place} 1")).collect();
    for working in ["repo", "repo/packages/a"] {
        let (mut directories, settings) = unread(&tree, &policy(), working);
        // Those of the project are first.
        directories.sort_by_key(|it| (it.starts_with("home"), it.clone()));
        assert_eq!(directories, found, "from {working}");
        let added = settings.join(" ");
        let is_added = |it: &&str| added.contains(it.strip_prefix("repo/").unwrap_or(it));
        assert!(places.iter().all(is_added), "each is added by {added}");
    }
}

#[test]
fn what_the_policy_leaves_out_on_purpose_is_not_unread() {
    let skills = ["repo/.claude/skills/c", "repo/.acme/skills/a", "home/.claude/skills/d"];
    let tree = tree(skills);
    let few = Discovery { only: Some(Vec::new()), ..policy() };
    assert_eq!(unread(&tree, &few, "repo").0, ["repo/.acme/skills 1"]);
    let around = surroundings(&tree, "repo");
    let left_out = all(&few, &around).left_out;
    assert_eq!(lines(&tree, &left_out), ["repo/.claude/skills 1", "home/.claude/skills 1"]);
    let settings = few.settings_that_add([left_out[0].directory.as_path()], &around);
    assert_eq!(settings[0].values, ["claude"], "and it can still be added");
    let neither = Discovery { user: false, project: ProjectSearch::Never, ..policy() };
    assert_eq!(all(&neither, &around).directories, [], "the key that is off is meant");
    let left_out = all(&neither, &around).left_out;
    let all = left_out.iter().map(|it| it.directory.as_path());
    let settings = neither.settings_that_add(all, &around);
    let keys: Vec<_> = settings.iter().map(|it| it.key.as_str()).collect();
    assert_eq!(keys, ["discovery.user", "discovery.project", "discovery.also"]);
    let skip = Discovery { skip: vec![".acme".into()], ..policy() };
    assert!(unread(&tree, &skip, "repo").0.is_empty(), "a name that is skipped is not named");
}

#[test]
fn skills_below_the_working_directory_are_seen_within_bounds() {
    let tree = tree(include_str!("../data/unread/below.txt").lines());
    symlink("plugins", tree.join("repo/link")).unwrap();
    let (directories, settings) = unread(&tree, &policy(), "repo");
    let expected = "repo/teams 1, repo/services/a/.claude/skills 1, \
                    repo/services/b/.agents/skills 1, repo/a/b/c/.claude/skills 1, \
                    repo/plugins/p/skills 1";
    assert_eq!(directories.join(", "), expected);
    let expected = "project: discovery.also=[./teams, services/a/.claude/skills, \
                    services/b/.agents/skills, a/b/c/.claude/skills, plugins/p/skills]";
    assert_eq!(settings, [expected]);
    assert_eq!(unread(&tree, &policy(), "repo/services/a").0.len(), 4, "from anywhere in it");
}

#[test]
fn many_directories_of_one_form_are_added_by_one_pattern() {
    let mut skills: Vec<_> = (0..5).map(|at| format!("repo/plugins/p{at}/skills/s")).collect();
    skills.push("repo/teams/x/skills/s".to_owned());
    let tree = tree(skills.iter().map(String::as_str));
    let settings = unread(&tree, &policy(), "repo").1;
    assert_eq!(settings, ["project: discovery.also=[plugins/*/skills, teams/x/skills]"]);
    let also = further(&["plugins/*/skills", "teams/x/skills"]);
    let added = Discovery { also, ..policy() };
    assert_eq!(unread(&tree, &added, "repo").0, [""; 0], "and then they are read");
}

/// A scan ends at a skill: what is below one is a place of its own, before and after the command.
#[test]
fn a_skill_hides_no_directory_below_it() {
    for row in include_str!("../data/unread/below_skills.txt").lines() {
        let [skills, before, also, after] = columns(row);
        let tree = tree(skills.split(' '));
        let (directories, settings) = unread(&tree, &policy(), "repo");
        assert_eq!(directories.join(", "), before, "{skills}");
        let found = policy().unread(&surroundings(&tree, "repo"), &BTreeSet::new(), Vec::new);
        let found = lines(&tree, &found.directories);
        let outside: Vec<_> = before.split(", ").filter(|it| !it.contains("/one/")).collect();
        assert_eq!(found, outside, "unless what is inside of skills is asked for, too");
        assert_eq!(settings, [format!("project: discovery.also=[{also}]")]);
        let also: Vec<_> = also.split(", ").filter(|it| after.is_empty() || *it == "./").collect();
        let added = Discovery { also: further(&also), ..policy() };
        assert_eq!(unread(&tree, &added, "repo").0.join(", "), after, "{skills} with {also:?}");
    }
}

/// In a directory that is searched, too. What the skill itself needs does not count.
#[test]
fn skills_in_skills_that_were_found_are_seen() {
    let tree = tree(include_str!("../data/unread/inside.txt").lines());
    symlink("../../../pack", tree.join("home/.agents/skills/pack")).unwrap();
    let found = ["home/.agents/skills/pack", "repo/.claude/skills/group", "repo/.claude/skills"];
    let found = found.map(|it| tree.join(it));
    let by_link = || vec![tree.join("repo/.claude/skills/group/linked")];
    let unread = policy().unread(&surroundings(&tree, "repo"), &found.into(), by_link);
    let inside = ["home/.agents/skills/pack 2", "repo/.claude/skills/group 3"];
    assert_eq!(lines(&tree, &unread.inside), inside);
    assert_eq!(lines(&tree, &unread.directories), ["repo/.claude/skills/group/skills 1"]);
}

#[test]
fn a_search_that_ended_early_is_not_whole() {
    for (directories, is_whole) in [(1_990, true), (2_000, false)] {
        let tree = tree(["repo/z/skills/far"]);
        (0..directories).for_each(|at| tree.write(&format!("repo/a/{at}/x"), ""));
        let unread = all(&policy(), &surroundings(&tree, "repo"));
        assert_eq!(unread.not_whole.is_empty(), is_whole, "{directories}");
        assert_eq!(!unread.directories.is_empty(), is_whole, "the farthest is found");
    }
}

/// Neither at its directories nor at those that its hidden ones have.
#[test]
fn a_skill_with_many_directories_takes_nothing_from_others() {
    for many in ["data", ".store/x", ".store/x/y/skills"] {
        let skills = ["a", "b", "b/in"].map(|it| format!("home/.agents/skills/{it}"));
        let tree = tree(skills.iter().map(String::as_str));
        for at in 0..2_000 {
            let path = format!("{}/{}", skills[0], many.replace('y', &at.to_string()));
            fs::create_dir_all(tree.join(&format!("{path}/{at}"))).unwrap();
        }
        let skills = skills.map(|it| tree.join(&it));
        let unread =
            policy().unread(&surroundings(&tree, "repo"), &skills.clone().into(), Vec::new);
        assert_eq!(lines(&tree, &unread.inside), ["home/.agents/skills/b 1"]);
        assert_eq!(unread.not_whole, skills[..1], "{many}");
    }
}

#[test]
fn links_are_directories_where_a_scan_follows_them() {
    for row in include_str!("../data/unread/links.txt").lines() {
        let [link, target, directories] = columns(row);
        let tree = tree(["out/skills/s", "repo/target/skills/s"]);
        if link.contains("/kit/") {
            tree.write("repo/kit/SKILL.md", "it");
        }
        fs::create_dir_all(tree.join(link).parent().unwrap()).unwrap();
        symlink(tree.join(target), tree.join(link)).unwrap();
        assert_eq!(unread(&tree, &policy(), "repo").0.join(", "), directories, "{link}");
    }
}

#[test]
fn plugins_of_clients_are_seen_in_the_home() {
    let tree = tree(include_str!("../data/unread/of_plugins.txt").lines());
    let (directories, settings) = unread(&tree, &policy(), "repo");
    let places = ["home/.claude/plugins/cache", "home/.gemini/extensions"];
    assert_eq!(directories, [format!("{} 2", places[0]), format!("{} 1", places[1])]);
    let setting = format!("discovery.roots.project=[{}]", places.join(", "));
    assert_eq!(settings, [setting], "others have written them");
    let roots = [("project".into(), places.map(|place| tree.join(place)).to_vec())].into();
    let added = Discovery { roots, ..policy() };
    assert_eq!(unread(&tree, &added, "repo").0, [""; 0], "older versions are not missed");
    let found = added.find(&surroundings(&tree, "repo")).roots.into_iter().take(2);
    let found = found.map(|it| it.directory.strip_prefix(tree.path()).unwrap().to_owned());
    let newest = ["m/other", "m/p/1.10.0"].map(|it| Path::new(places[0]).join(it));
    assert_eq!(found.collect::<Vec<_>>(), newest);
}

/// A setting of the user trusts nothing for good but the user's own: no clones, caches, downloads.
#[test]
fn only_own_directories_are_added_to_the_trusted_layer() {
    for row in include_str!("../data/unread/own.txt").lines() {
        let [skill, working, setting] = columns(row);
        let tree = tree([skill]);
        for clone in ["home", "home/.clone", "home/.pack/skills/git", "repo/dep"] {
            tree.write(&format!("{clone}/.git/HEAD"), "");
        }
        if skill.starts_with("repo/.clone") {
            tree.write("home/.clone/skills/own/SKILL.md", "it");
        }
        symlink("../ext", tree.join("repo/skills")).unwrap();
        fs::create_dir_all(tree.join("repo/.claude")).unwrap();
        symlink("../../pack", tree.join("repo/.claude/skills")).unwrap();
        let settings = unread(&tree, &policy(), working).1;
        let own = |it: &&String| !it.contains("home/.clone") || setting.contains("home/.clone");
        let settings: Vec<_> = settings.iter().filter(own).cloned().collect();
        assert_eq!(settings.join(" "), setting, "{skill} from {working}");
    }
}

#[test]
fn projects_in_a_project_are_seen() {
    let tree = tree(["repo/dep/.claude/skills/a", "repo/dep/skills/b", "repo/own/skills/c"]);
    tree.write("repo/dep/.git", "gitdir: elsewhere");
    let unread = all(&policy(), &surroundings(&tree, "repo"));
    assert_eq!(lines(&tree, &unread.projects), ["repo/dep 2"]);
    assert_eq!(lines(&tree, &unread.directories), ["repo/own/skills 1"]);
}

#[test]
fn nothing_is_looked_for_in_the_home_nor_among_temporary_files() {
    let skills = ["home/desk/skills/a", "shared/.tmp1/skills/b", "shared/x/.claude/skills/c"];
    let tree = tree(skills);
    fs::set_permissions(tree.join("shared"), Permissions::from_mode(0o1777)).unwrap();
    for working in ["home", "", "shared"] {
        assert_eq!(unread(&tree, &policy(), working).0, [""; 0], "{working:?}");
    }
    let below = all(&policy(), &surroundings(&tree, "shared")).projects;
    assert!(below.is_empty(), "those are not projects of the user");
}

#[test]
fn projects_with_skills_are_seen_from_above() {
    let tree = Tree::new("//- /src/team/web/.git/HEAD\n//- /src/plain/.git/HEAD\n");
    tree.write("src/shop/.claude/skills/a/SKILL.md", "it");
    tree.write("src/team/web/.agents/skills/b/SKILL.md", "it");
    tree.write("src/pack/skills/c/SKILL.md", "it");
    tree.write("home/.agents/skills/d/SKILL.md", "it");
    let below = |working| {
        let found = all(&policy(), &surroundings(&tree, working)).projects;
        let name = |path: &Path| path.strip_prefix(tree.path()).unwrap().to_owned();
        found.iter().map(|it| name(&it.directory)).collect::<Vec<_>>()
    };
    assert_eq!(below("src"), ["src/shop", "src/team/web"].map(PathBuf::from));
    assert_eq!(below(""), [PathBuf::from("src/shop")], "the home is no project");
    assert!(below("src/plain").is_empty(), "a project is not above others");
    let directories = unread(&tree, &policy(), "src").0;
    assert_eq!(directories, ["src/pack/skills 1"], "a pack is no project, and is seen itself");
}
