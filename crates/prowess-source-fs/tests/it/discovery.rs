//! Where skills are looked for on a machine, and whose they are.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use prowess_core::{AskedFolder, PackagePath};
use prowess_source_fs::{
    ClientName, Discovery, FsConfig, FurtherPlace, Links, PinnedFolder, ProjectSearch,
    ProjectTrust, SkillRoots, Surroundings,
};
use prowess_testkit::{ScanRecorder, Tree};

use crate::{problems, scan, source};

/// A policy that does not look at the machine of the test.
pub(super) fn policy() -> Discovery {
    Discovery { organization: None, ..Discovery::default() }
}

fn name(name: &str) -> ClientName {
    ClientName::new(name).unwrap()
}

/// Further places as they are written.
pub(super) fn further(places: &[&str]) -> Vec<FurtherPlace> {
    places.iter().map(|place| FurtherPlace::try_from((*place).to_owned()).unwrap()).collect()
}

/// A tree with a home, and with the working directory `working`.
pub(super) fn surroundings(tree: &Tree, working: &str) -> Surroundings {
    fs::create_dir_all(tree.join(working)).unwrap();
    fs::create_dir_all(tree.join("home")).unwrap();
    Surroundings::new(Some(tree.join("home")), Some(tree.join(working)))
}

fn find(tree: &Tree, policy: &Discovery, working: &str) -> SkillRoots {
    policy.find(&surroundings(tree, working))
}

/// Each root as `layer path`.
fn lines(tree: &Tree, found: &SkillRoots) -> Vec<String> {
    let line = |root: &prowess_source_fs::SkillRoot| {
        let directory = root.directory.strip_prefix(tree.path()).unwrap_or(&root.directory);
        format!("{} {}", root.layer, directory.display())
    };
    found.roots.iter().map(line).collect()
}

#[track_caller]
fn check(tree: &Tree, policy: &Discovery, working: &str, expected: &[&str]) {
    let found = find(tree, policy, working);
    assert_eq!(lines(tree, &found), expected, "the places of skills, in their order");
    assert!(found.findings.is_empty(), "nothing is wrong with them: {:?}", found.findings);
}

/// The finding of a code, with the tree left out of its path.
fn findings(tree: &Tree, found: &SkillRoots) -> Vec<String> {
    let path = |path: &str| path.replace(&*tree.path().to_string_lossy(), "");
    let line = |found: &prowess_core::Diagnostic| {
        format!("{} {}", found.code, path(found.path.as_deref().unwrap_or_default()))
    };
    found.findings.iter().map(line).collect()
}

const HOME: [&str; 4] = [
    "user home/.prowess/skills",
    "user home/.agents/skills",
    "user home/.config/prowess/skills",
    "user home/.config/agents/skills",
];

fn with_home<'e>(others: &[&'e str]) -> Vec<&'e str> {
    [&HOME, others].concat()
}

#[test]
fn the_guide_s_four_places_and_the_directory_for_configuration() {
    let tree = Tree::new("");
    let project = ["project work/.prowess/skills", "project work/.agents/skills"];
    check(&tree, &policy(), "work", &with_home(&project));
    let without = Discovery { xdg: false, ..policy() };
    check(&tree, &without, "work", &[&HOME[..2], &project].concat());
    let neither = Discovery { user: false, project: ProjectSearch::Never, ..policy() };
    check(&tree, &neither, "work", &[]);
}

#[test]
fn another_client_has_its_own_places_and_others_may_be_searched_too() {
    let tree = Tree::new("");
    let also = further(&["claude", "cursor"]);
    let policy = Discovery { client: name("acme"), also, xdg: false, ..policy() };
    let expected = ["user home", "project work"].map(|place| {
        [".acme", ".agents", ".claude", ".cursor"].map(|client| format!("{place}/{client}/skills"))
    });
    let expected: Vec<_> = expected.iter().flatten().map(String::as_str).collect();
    check(&tree, &policy, "work", &expected);
}

#[test]
fn known_clients_are_searched_where_they_are_in_use() {
    let tree = Tree::new(
        "//- /here/.claude/settings.json\n{}\n//- /here/.github/skills/a/SKILL.md\n-\n\
         //- /home/.copilot/config\n-\n//- /home/.config/opencode/config\n-\n\
         //- /home/.codeium/windsurf/rules\n-\n//- /here/.cursor\nno directory\n",
    );
    let policy = Discovery { shared: false, xdg: false, ..policy() };
    let all: Vec<_> = include_str!("../data/discovery/known.txt").lines().collect();
    check(&tree, &policy, "here", &all);
    let with_aider = Discovery { also: further(&["aider"]), ..policy.clone() };
    let aider = ["user home/.aider/skills", "project here/.aider/skills"];
    check(&tree, &with_aider, "here", &[&all[..4], &aider[..1], &all[4..], &aider[1..]].concat());
    let only = |names: &[&str]| {
        let only = Some(names.iter().map(|client| name(client)).collect());
        Discovery { only, ..policy.clone() }
    };
    check(&tree, &only(&[]), "here", &[all[0], all[4]]);
    check(&tree, &only(&["copilot", "roo"]), "here", &[all[0], all[1], all[4], all[6]]);
    let also = Discovery { also: further(&["goose", "kilo"]), ..only(&[]) };
    let goose = ["user home/.config/goose/skills", "project here/.goose/skills"];
    let kilo = ["user home/.kilo/skills", "project here/.kilo/skills"];
    check(&tree, &also, "here", &[all[0], goose[0], kilo[0], all[4], goose[1], kilo[1]]);
    let error = serde_json::from_str::<Discovery>(r#"{"only": ["clod"]}"#).unwrap_err();
    assert!(error.to_string().contains("no known client is named `clod`"), "{error}");
}

#[test]
fn a_project_reaches_up_to_the_root_of_its_repository() {
    for git in ["//- /up/repository/.git/HEAD\nref\n", "//- /up/repository/.git\ngitdir: x\n"] {
        let tree = Tree::new(git);
        let policy = Discovery { user: false, ..policy() };
        let both = |folder: &str| {
            [".prowess", ".agents"].map(|client| format!("project {folder}/{client}/skills"))
        };
        let all = ["up/repository/a/b", "up/repository/a", "up/repository"].map(both);
        let expected: Vec<_> = all.iter().flatten().map(String::as_str).collect();
        check(&tree, &policy, "up/repository/a/b", &expected);
        let here = Discovery { project: ProjectSearch::WorkingDirectory, ..policy };
        check(&tree, &here, "up/repository/a/b", &expected[..2]);
    }
}

#[test]
fn without_a_home_or_a_working_directory_their_places_are_not_there() {
    let tree = Tree::new("");
    let nothing = policy().find(&Surroundings::default());
    assert_eq!(nothing, SkillRoots::default(), "nothing is known, nothing is searched");
    let homeless = Surroundings::new(None, Some(tree.path().into()));
    let found = policy().find(&homeless);
    assert_eq!(lines(&tree, &found), ["project .prowess/skills", "project .agents/skills"]);
}

#[test]
fn the_environment_moves_the_directories_that_it_names() {
    let check = |value: &str, expected: [&str; 3], of_clients: [&str; 3]| {
        let surroundings =
            Surroundings::new(Some("/home/u".into()), None).with_environment(|name| {
                let name = name.strip_prefix("XDG_").unwrap_or(name).strip_suffix("_HOME")?;
                Some(OsString::from(value.replace('*', &name.to_lowercase())))
            });
        let of_client = |client| surroundings.client_skills(client).unwrap().1.unwrap();
        let clients = [of_client("codex"), of_client("gemini-cli"), of_client("claude")];
        assert_eq!(clients, of_clients.map(PathBuf::from), "for {value:?}");
        let homes =
            [surroundings.config_home(), surroundings.state_home(), surroundings.cache_home()];
        assert_eq!(homes.map(Option::unwrap), expected.map(PathBuf::from), "for {value:?}");
    };
    let moved = ["/x/codex/skills", "/x/gemini_cli/.gemini/skills", "/home/u/.claude/skills"];
    check("/x/*", ["/x/config", "/x/state", "/x/cache"], moved);
    // The specification of the variables: what is relative is passed over.
    for value in ["", "relative/*"] {
        let clients = [".codex", ".gemini", ".claude"].map(|it| format!("/home/u/{it}/skills"));
        let homes = ["/home/u/.config", "/home/u/.local/state", "/home/u/.cache"];
        check(value, homes, clients.each_ref().map(String::as_str));
    }
}

#[test]
fn a_home_that_is_the_project_keeps_its_own_skills() {
    let tree = Tree::new("//- /home/.git/HEAD\nref\n//- /home/.agents/skills/a/SKILL.md\na\n");
    let found = policy().find(&surroundings(&tree, "home/deep"));
    let expected = ["project home/deep/.prowess/skills", "project home/deep/.agents/skills"];
    assert_eq!(lines(&tree, &found), with_home(&expected), "the user's own needs no trust");
    assert!(found.findings.is_empty(), "and nothing of the project is there to be trusted");
}

#[test]
fn what_the_operator_names_comes_first_and_once() {
    let tree = Tree::new("//- /home/.agents/skills/a/SKILL.md\na\n//- /team/x/SKILL.md\nx\n");
    symlink(tree.join("team"), tree.join("link")).unwrap();
    let root = |path: &str| tree.join(path);
    let roots = [
        ("project", vec![root("link"), "relative/skills".into()]),
        ("team", vec![root("team")]),
        ("user", vec!["~/.agents/skills".into(), "~/more".into()]),
    ];
    let roots = roots.map(|(layer, roots)| (Box::from(layer), roots)).into();
    let organization = Some(root("team"));
    let policy =
        Discovery { roots, organization, xdg: false, project: ProjectSearch::Never, ..policy() };
    let found = find(&tree, &policy, "work");
    let expected = "organization team, user home/.agents/skills, user home/more, \
                    user home/.prowess/skills";
    let once = "a directory is used once, a link to it is it";
    assert_eq!(lines(&tree, &found).join(", "), expected, "{once}");
    let reported =
        ["root-repeated /link", "root-not-absolute relative/skills", "root-repeated /team"];
    assert_eq!(findings(&tree, &found), reported, "and what is not used is reported");
    let is_optional: Vec<_> = found.roots.iter().map(|root| root.may_be_missing).collect();
    assert_eq!(is_optional, [false, false, false, true], "what is named must be there");
    let roots = [(Box::from("agents"), vec!["~/.agents/skills".into()])].into();
    let found = find(&tree, &Discovery { roots, organization: None, ..policy }, "work");
    let reported = ["root-repeated /home/.agents/skills"];
    assert_eq!(findings(&tree, &found), reported, "skills of the user would wait for a review");
}

#[test]
fn directories_of_the_project_follow_its_clients_and_stay_in_it() {
    let tree = Tree::new(
        "//- /repo/.git/HEAD\n//- /repo/plugins/b/x\n-\n//- /repo/plugins/a/x\n-\n\
         //- /repo/plugins/.hidden/x\n-\n//- /repo/plugins/node_modules/x\n-\n\
         //- /repo/plugins/file\n-\n",
    );
    let policy = Discovery { user: false, shared: false, ..policy() };
    let also = further(&["./skills/", "acme", "plugins/*/skills", "skills/.", "./"]);
    let expected: Vec<_> = include_str!("../data/discovery/of_project.txt").lines().collect();
    let policy = Discovery { also, ..policy };
    check(&tree, &policy, "repo/app", &expected);
    let found = find(&tree, &policy, "repo/app");
    let project = Some(tree.join("repo"));
    assert!(found.roots[4..].iter().all(|root| {
        let asked = root.asked.as_ref().map(|asked| asked.folder.clone());
        root.within == project && asked == project && root.may_be_missing
    }));
    tree.write("repo/pdf/SKILL.md", "it");
    let whole = scan(policy.found_config(&found.roots[7], None));
    assert_eq!(whole.packages(), ["pdf"], "the folder itself is a directory of skills");
    for bad in ["/abs/skills", "~/skills", "../up/skills", "a/../../b", "a b", "", "a/b*/c", "a/\0"]
    {
        let error = FurtherPlace::try_from(bad.to_owned()).expect_err("it is no place");
        assert!(error.to_string().contains(&format!("{bad:?}")), "the message shows it: {error}");
    }
    for (written, kept) in [("./skills/", "./skills"), ("a//b/./c", "a/b/c"), (".", "")] {
        let place = FurtherPlace::try_from(written.to_owned()).map(String::from);
        assert_eq!(place.unwrap_or_default(), kept);
    }
}

/// The directories in which clients look hold skills. One that somebody names may be a skill.
#[test]
fn a_skill_file_where_clients_look_hides_no_skill() {
    let tree = Tree::new("//- /repo/.git/HEAD\nref\n");
    let rows = include_str!("../data/discovery/holders.txt").lines();
    for place in rows.clone().map(|row| row.split(' ').next().unwrap()) {
        tree.write(&format!("{place}/a/SKILL.md"), "it");
        tree.write(&format!("{place}/SKILL.md"), "---\nname: top\n---\n");
    }
    let roots = [("user".into(), vec![tree.join("team")])].into();
    let also = further(&["acme", "./tools"]);
    let organization = Some(tree.join("org"));
    let policy = Discovery { organization, roots, also, ..policy() };
    let found = find(&tree, &policy, "repo").roots.into_iter().filter(|it| it.directory.exists());
    let found = found.map(|root| {
        let scan = scan(policy.found_config(&root, None));
        let place = root.directory.strip_prefix(tree.path()).unwrap().display().to_string();
        format!("{place} {:?} {}", scan.packages(), problems(&scan, &root.directory).join(" "))
    });
    assert_eq!(found.collect::<Vec<_>>(), rows.collect::<Vec<_>>());
}

#[test]
fn an_organization_without_skills_has_no_layer() {
    let tree = Tree::new("");
    let organization = Some(tree.join("none"));
    let policy = Discovery { organization, user: false, project: ProjectSearch::Never, ..policy() };
    check(&tree, &policy, "work", &[]);
}

#[test]
fn each_folder_of_a_project_is_to_be_asked_about() {
    let tree = Tree::new("//- /project/.git/HEAD\nref\n//- /project/deep/x\nx\n");
    let policy = Discovery { user: false, ..policy() };
    let surroundings = surroundings(&tree, "project/deep");
    let found = policy.find(&surroundings);
    let asked = |folder: &str| {
        let identity = Some(PinnedFolder::at(tree.join(folder)).identity);
        Some(AskedFolder { folder: tree.join(folder), project: tree.join("project"), identity })
    };
    let each: Vec<_> = found.roots.iter().map(|root| root.asked.clone()).collect();
    let (deep, project) = (asked("project/deep"), asked("project"));
    assert_eq!(each, [deep.clone(), deep, project.clone(), project], "two clients in each");
    for trust in [ProjectTrust::Label, ProjectTrust::Trusted] {
        let policy = Discovery { project_trust: trust, ..policy.clone() };
        let found = policy.find(&surroundings);
        assert!(found.roots.iter().all(|root| root.asked.is_none()), "{trust:?} does not ask");
    }
}

/// Trust in a project covers neither other repositories nor installed packages in it.
#[test]
fn further_place_in_another_project_needs_its_own_trust() {
    for row in include_str!("../data/discovery/asked.txt").lines() {
        let (place, asked) = row.split_once(' ').unwrap();
        let tree = Tree::new("//- /repo/.git/HEAD\n//- /repo/dep/.git/HEAD\n");
        tree.write("repo/dep/.claude/skills/a/SKILL.md", "it");
        symlink("dep/.claude/skills", tree.join("repo/linked")).unwrap();
        let policy = Discovery { user: false, also: further(&[&format!("./{place}")]), ..policy() };
        let roots = find(&tree, &policy, "repo").roots;
        let folders: Vec<_> =
            roots[2..].iter().map(|it| it.asked.as_ref().unwrap().folder.clone()).collect();
        assert!(folders.contains(&tree.join(asked)), "{place}: {folders:?}");
    }
    let tree = Tree::new("//- /repo/.git/HEAD\n//- /repo/v/dep/.git/HEAD\n");
    for skill in ["v/dep/.claude/skills/a", "v/own/b", "v/own/sub/c", "v/solo", "v/own/.h/a/deep"] {
        tree.write(&format!("repo/{skill}/SKILL.md"), "it");
    }
    // A submodule, and a skill that is a clone.
    for repository in ["v/own/sub", "v/solo", "v/own/.h/a/deep"] {
        tree.write(&format!("repo/{repository}/.git"), "gitdir: x");
    }
    for place in ["./", "./v"] {
        let policy = Discovery { user: false, also: further(&[place]), ..policy() };
        let found = find(&tree, &policy, "repo");
        let scans = found.roots[2..].iter().map(|root| {
            let asked = root.asked.as_ref().unwrap().folder.clone();
            let asked = asked.strip_prefix(tree.join("repo")).unwrap().display().to_string();
            let scan = scan(policy.found_config(root, None));
            format!("{asked}: {}", scan.packages().join(" "))
        });
        let own = if place == "./" { "v/own/b" } else { "own/b" };
        let own = format!(": {own}");
        let others = ["v/dep: .claude/skills/a", "v/solo: ", "v/own/sub: c", "v/own/.h/a/deep: "];
        let all: Vec<_> = [&*own].into_iter().chain(others).collect();
        assert_eq!(scans.collect::<Vec<_>>(), all, "{place}: each repository has its own trust");
    }
    // A directory that is named for projects, and is not in this one, waits for trust of its own.
    let roots = [("project".into(), vec![tree.join("repo/v"), tree.join("pack")])].into();
    tree.write("pack/clone/.git", "gitdir: x");
    let policy = Discovery { user: false, project: ProjectSearch::Repository, roots, ..policy() };
    let found = find(&tree, &policy, "repo").roots.into_iter().map(|root| {
        let asked = root.asked.unwrap().folder;
        format!("{} {}", root.layer, asked.strip_prefix(tree.path()).unwrap().display())
    });
    let expected = "project repo, project repo/v/dep, project repo/v/solo, project repo/v/own/sub, \
                    project repo/v/own/.h/a/deep, others pack, others pack/clone";
    assert_eq!(found.take(7).collect::<Vec<_>>().join(", "), expected);
    let at_home = Surroundings::new(Some(tree.join("repo")), Some(tree.join("repo")));
    let first = &policy.find(&at_home).roots[0];
    assert_eq!(
        (&*first.layer, &first.asked.as_ref().unwrap().folder),
        ("others", &tree.join("repo/v"))
    );
    tree.write("repo/v/top/SKILL.md", "it");
    for directory in ["v/top/.git", "skills"] {
        fs::create_dir(tree.join(&format!("repo/{directory}"))).unwrap();
    }
    for (target, packages) in [
        ("v/own/b", &["it"][..]),
        ("v", &["it/own/b"]),
        ("v/top", &[]),
        ("v/dep/.claude/skills", &[]),
        ("v/dep/.claude/skills/a", &[]),
    ] {
        let link = tree.join("repo/skills/it");
        let _ = fs::remove_file(&link);
        symlink(tree.join("repo").join(target), link).unwrap();
        let (root, within) = (tree.join("repo/skills"), Some(tree.join("repo")));
        let config = FsConfig { within, links: Links::WithinRoot, ..FsConfig::new(root) };
        assert_eq!(scan(config).packages(), packages, "a link to {target} leads into no other");
    }
}

/// A cloned repository may bring a link; it may not choose what of the machine is read.
#[test]
fn a_project_s_root_does_not_lead_out_of_the_project() {
    let tree = Tree::new(
        "//- /secret/a/SKILL.md\na\n//- /project/real/b/SKILL.md\nb\n//- /project/.prowess/x\nx\n",
    );
    fs::create_dir(tree.join("project/.agents")).unwrap();
    symlink("../real", tree.join("project/.agents/skills")).unwrap();
    symlink("../../secret", tree.join("project/.prowess/skills")).unwrap();
    symlink(tree.join("secret"), tree.join("project/.claude")).unwrap();
    let config = |root: &str| {
        let within = Some(tree.join("project"));
        FsConfig { within, ..FsConfig::new(tree.join(root)) }
    };
    let a_few = |root: &str| {
        let asked = [PackagePath::new("a").unwrap()];
        ScanRecorder::default().record_packages(&source(config(root)), &asked).unwrap().0
    };
    let inside = scan(config("project/.agents/skills"));
    assert_eq!(inside.packages(), ["b"], "a link inside the project is the project's");
    for root in ["project/.prowess/skills", "project/.claude"] {
        let outside = scan(config(root));
        assert!(outside.found.is_empty(), "nothing outside of the project is read");
        assert!(a_few(root).found.is_empty(), "nor by a look at a few packages");
        let reported = format!("warning root-outside /{root}");
        assert_eq!(problems(&outside, tree.path()), [reported], "and that is reported");
    }
}

#[test]
fn a_place_that_may_be_missing_is_no_complaint() {
    let tree = Tree::new("//- /there/a/SKILL.md\na\n");
    let look = |may_be_missing| {
        scan(FsConfig { may_be_missing, ..FsConfig::new(tree.join("gone")) }).problems.len()
    };
    assert_eq!((look(false), look(true)), (1, 0), "a named root is expected to exist");
}

#[test]
fn a_client_s_name_is_one_part_of_a_path() {
    for good in ["claude", "Claude-2", "a.b_c"] {
        assert_eq!(ClientName::new(good).unwrap().as_str(), good);
    }
    for bad in ["", ".", "..", ".hidden", "a/b", "a b", "ä", "a\0"] {
        let error = ClientName::new(bad).expect_err("it is no name").to_string();
        assert!(error.contains(&format!("{bad:?}")), "the message shows it: {error}");
    }
}

#[test]
fn the_policy_is_data() {
    let text = r#"{"client": "acme", "also": ["claude"], "project": "working_directory",
        "project_trust": "label", "organization": null, "roots": {"user": ["~/x"]}}"#;
    let policy: Discovery = serde_json::from_str(text).unwrap();
    assert_eq!((policy.client.as_str(), policy.xdg), ("acme", true), "what is not said stays");
    let written = serde_json::to_string(&policy).unwrap();
    assert_eq!(serde_json::from_str::<Discovery>(&written).unwrap(), policy);
    for bad in [r#"{"client": "../x"}"#, r#"{"projct": "never"}"#, r#"{"project_trust": "no"}"#] {
        assert!(serde_json::from_str::<Discovery>(bad).is_err(), "{bad} is refused");
    }
}
