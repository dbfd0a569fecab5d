//! A script that lists a dependency, run by the real `uv` in the sandbox.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::install::python::uv;
use crate::process::{Failure, fail_for, output, succeed};
use crate::root;
use crate::selection::Selection;

/// The output of a script that has imported its dependency.
const IMPORTED: &str = "from the wheel";

const SKILL_MD: &str = "---\nname: greet\ndescription: Greets.\n---\nRun scripts/greet.py.\n";

/// The directories of the task. The first one has wheels, as the package has.
struct Places {
    wheels: PathBuf,
    cache: PathBuf,
}

/// A policy: its name, the directories to read and to write, whether `uv` may use the wheels and
/// the cache, and whether the script then imports its dependency.
type Case<'p> = (&'static str, Vec<&'p Path>, Vec<&'p Path>, [bool; 2], bool);

/// The case in which the package has the wheels itself.
const OWN_WHEELS: &str = "wheels of the package";

fn cases(Places { wheels, cache }: &Places) -> [Case<'_>; 6] {
    [
        (OWN_WHEELS, vec![], vec![], [false, false], true),
        ("no wheels", vec![], vec![], [false, false], false),
        ("wheels of the operator", vec![wheels], vec![], [true, false], true),
        ("wheels that are not granted", vec![], vec![], [true, false], false),
        ("a cache to write", vec![wheels], vec![cache], [true, true], true),
        ("a cache to read", vec![wheels, cache], vec![], [true, true], false),
    ]
}

/// Prints for each case whether the script has imported its dependency.
pub(crate) fn run() -> Result<(), Failure> {
    let prowess = Selection::Tested.program("prowess")?;
    let uv = uv()?;
    let directory = root().join("target/uv");
    let places = prepare(&directory, &uv)?;
    let mut wrong = Vec::new();
    for level in ["floor", "namespaces"] {
        for (name, read, write, [has_wheels, has_cache], is_expected) in cases(&places) {
            write_skill(&directory, name == OWN_WHEELS)?;
            // Without any network, which `uv` would wait for.
            let mut environment = json!({ "UV_OFFLINE": "1" });
            if has_wheels {
                environment["UV_FIND_LINKS"] = json!(places.wheels);
            }
            if has_cache {
                environment["UV_CACHE_DIR"] = json!(places.cache);
            }
            let grants = match name {
                OWN_WHEELS => json!({}),
                _ => json!({ "read": read, "write": write, "environment": environment }),
            };
            let printed = run_script(&prowess, &directory, level, grants)?;
            let is_imported = printed.contains(IMPORTED);
            let word = if is_imported { "imported" } else { "not imported" };
            println!("{level:10} {name:28} {word}");
            if is_imported != is_expected {
                eprintln!("{printed}");
                wrong.push(format!("{name} at {level}"));
            }
        }
    }
    fail_for("`uv` did not do what the policy says", &wrong)
}

/// Creates the directories, the program and the wheel.
fn prepare(directory: &Path, uv: &Path) -> Result<Places, Failure> {
    if directory.exists() {
        std::fs::remove_dir_all(directory)?;
    }
    let [wheels, cache, bin] = ["wheels", "cache", "bin"].map(|name| directory.join(name));
    let assets = directory.join("skills/greet/assets");
    for created in [&wheels, &cache, &bin, &assets] {
        std::fs::create_dir_all(created)?;
    }
    // The directory that pip installs it to has an interpreter, too, which the sandbox cannot read.
    std::fs::copy(uv, bin.join("uv"))?;
    let script = include_str!("uv/wheel.py");
    for place in [&wheels, &assets] {
        succeed(Command::new("python3").args(["-c", script, IMPORTED]).arg(place))?;
    }
    Ok(Places { wheels, cache })
}

fn write_skill(directory: &Path, has_wheels: bool) -> Result<(), Failure> {
    let skill = directory.join("skills/greet");
    let own = "# [tool.uv]\n# find-links = [\"../assets\"]\n# no-index = true\n";
    let block = if has_wheels { own } else { "" };
    let script = format!(
        "# /// script\n# dependencies = [\"greeting==1.0\"]\n{block}# ///\nimport greeting\n\
         print(greeting.TEXT)\n"
    );
    std::fs::create_dir_all(skill.join("scripts"))?;
    std::fs::write(skill.join("SKILL.md"), SKILL_MD)?;
    std::fs::write(skill.join("scripts/greet.py"), script)?;
    Ok(())
}

/// Runs the script under a policy with these grants, and returns what it printed.
fn run_script(
    prowess: &Path,
    directory: &Path,
    level: &str,
    grants: Value,
) -> Result<String, Failure> {
    let mut scripts = grants;
    scripts["level"] = json!(level);
    scripts["inline_metadata"] = json!("uv");
    scripts["search_path"] = json!([directory.join("bin"), "/usr/bin", "/bin"]);
    let configuration = directory.join("prowess.yaml");
    // JSON is YAML.
    std::fs::write(&configuration, json!({ "scripts": scripts }).to_string())?;
    let mut command = Command::new(prowess);
    command.arg("--root").arg(directory.join("skills")).arg("--config").arg(configuration);
    let ran = output(command.args(["run", "greet", "scripts/greet.py"]))?;
    let printed = [ran.stdout, ran.stderr].concat();
    Ok(String::from_utf8_lossy(&printed).into_owned())
}
