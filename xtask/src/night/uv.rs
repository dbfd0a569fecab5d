//! A script that lists a dependency, run by the real `uv` in the sandbox.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::install::python::uv;
use crate::process::{Failure, output, succeed};
use crate::root;
use crate::selection::Selection;

/// The output of a script that has imported its dependency.
const IMPORTED: &str = "from the wheel";

const SKILL_MD: &str = "---\nname: greet\ndescription: Greets.\n---\nRun scripts/greet.py.\n";

/// A policy, and whether the script then imports its dependency.
struct Case {
    name: &'static str,
    /// More lines of the script's block, for `uv`.
    block: &'static str,
    grants: fn(&Places) -> Value,
    is_imported: bool,
}

/// The directories of the task. The first one has wheels, as the package has.
struct Places {
    wheels: PathBuf,
    cache: PathBuf,
}

const CASES: [Case; 6] = [
    Case {
        name: "wheels of the package",
        block: "# [tool.uv]\n# find-links = [\"../assets\"]\n# no-index = true\n",
        grants: |_| json!({}),
        is_imported: true,
    },
    Case { name: "no wheels", block: "", grants: |_| granted(&[], &[]), is_imported: false },
    Case {
        name: "wheels of the operator",
        block: "",
        grants: |places| with_wheels(places, granted(&[&places.wheels], &[])),
        is_imported: true,
    },
    Case {
        name: "wheels that are not granted",
        block: "",
        grants: |places| with_wheels(places, granted(&[], &[])),
        is_imported: false,
    },
    Case {
        name: "a cache to write",
        block: "",
        grants: |places| with_cache(places, granted(&[&places.wheels], &[&places.cache])),
        is_imported: true,
    },
    Case {
        name: "a cache to read",
        block: "",
        grants: |places| with_cache(places, granted(&[&places.wheels, &places.cache], &[])),
        is_imported: false,
    },
];

/// Returns grants without any network, which `uv` would wait for.
fn granted(read: &[&PathBuf], write: &[&PathBuf]) -> Value {
    json!({ "read": read, "write": write, "environment": { "UV_OFFLINE": "1" } })
}

fn with_wheels(places: &Places, mut grants: Value) -> Value {
    grants["environment"]["UV_FIND_LINKS"] = json!(places.wheels);
    grants
}

fn with_cache(places: &Places, mut grants: Value) -> Value {
    grants["environment"]["UV_CACHE_DIR"] = json!(places.cache);
    with_wheels(places, grants)
}

/// Prints for each case whether the script has imported its dependency.
pub(crate) fn run() -> Result<(), Failure> {
    let prowess = Selection::Tested.program("prowess")?;
    let uv = uv()?;
    let directory = root().join("target/uv");
    let places = prepare(&directory, &uv)?;
    let mut wrong = Vec::new();
    for level in ["floor", "namespaces"] {
        for case in &CASES {
            write_skill(&directory, case)?;
            let printed = run_script(&prowess, &directory, level, (case.grants)(&places))?;
            let is_imported = printed.contains(IMPORTED);
            let word = if is_imported { "imported" } else { "not imported" };
            println!("{level:10} {:28} {word}", case.name);
            if is_imported != case.is_imported {
                eprintln!("{printed}");
                wrong.push(format!("{} at {level}", case.name));
            }
        }
    }
    if wrong.is_empty() {
        return Ok(());
    }
    Err(Failure(format!("`uv` did not do what the policy says: {}", wrong.join(", "))))
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

fn write_skill(directory: &Path, case: &Case) -> Result<(), Failure> {
    let skill = directory.join("skills/greet");
    let script = format!(
        "# /// script\n# dependencies = [\"greeting==1.0\"]\n{}# ///\nimport greeting\n\
         print(greeting.TEXT)\n",
        case.block
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
