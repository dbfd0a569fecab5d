//! The operator's page in a real browser: a decision, a stale one, a session's story, screenshots
//! in two widths and both colour schemes, and the rules of accessibility that axe checks.

use std::process::Command;

use serde_json::{Value, json};

use crate::install::node::Packages;
use crate::process::{Failure, output, succeed, write_files};
use crate::root;
use crate::selection::Selection;

/// The driver of the system's browser, and the rules of accessibility.
const PACKAGES: [&str; 2] = ["playwright-core@1.65.1", "axe-core@4.14.1"];

const SKILL: &str = "---\nname: pdf\ndescription: <script>document.title='x'</script> Fills forms.\n\
                     allowed-tools: Read\n---\n# Forms\n\nRun `scripts/fill.py`.\n";

/// Starts the page and the browser, and prints what was seen.
pub(crate) fn run() -> Result<(), Failure> {
    let prowess = Selection::Tested.program_with("prowess-cli/web", "prowess")?;
    let directory = root().join("target/web");
    let packages = Packages::install(&directory.join("node"), &PACKAGES)?;
    let home = directory.join("home");
    let config = format!(
        "added_tools: gate\naudit: {{ log: keep }}\nproposals: {{ directory: '{}' }}\n",
        home.join("proposals").display()
    );
    let files = [
        (".agents/skills/pdf/SKILL.md", SKILL),
        (".agents/skills/pdf/scripts/fill.py", "print('filled')\n"),
        (".agents/skills/broken/SKILL.md", "no frontmatter\n"),
        (".config/prowess/config.yaml", &config),
        ("project/.git/HEAD", "ref: refs/heads/main\n"),
    ];
    write_files(&home, &files)?;
    let program = |arguments: &[&str]| {
        let mut command = Command::new(&prowess);
        command.args(arguments).env_clear().env("HOME", &home).current_dir(home.join("project"));
        command
    };
    succeed(&mut program(&["trust"]))?;
    for body in ["first", "second"] {
        let call = json!({ "skill": "pdf", "path": "scripts/fill.py", "args": [body] });
        // Each waits for an approval, which the command says with its exit code.
        output(&mut program(&["call", "skills_run", &call.to_string()]))?;
    }
    for script in ["fill_form.py", "forms.py"] {
        let diff = format!("@@\n-Run `scripts/fill.py`.\n+Run `scripts/{script}`.\n");
        let proposal = json!({ "skill_id": "pdf", "diff": diff, "justification": "<b>moved</b>" });
        succeed(&mut program(&["call", "propose_skill_update", &proposal.to_string()]))?;
    }
    let driver = json!({ "program": prowess, "home": home, "shots": directory });
    let mut driven = packages.evaluate(include_str!("web/driver.mjs"));
    let ran = output(driven.arg("--").arg(driver.to_string()))?;
    let results: Value = serde_json::from_slice(&ran.stdout).unwrap_or_default();
    let results = results.as_object().cloned().unwrap_or_default();
    for (name, result) in &results {
        println!(
            "{name:40} {}",
            if result == true { "yes".to_owned() } else { result.to_string() }
        );
    }
    if ran.status.success() && !results.is_empty() && results.values().all(|it| it == true) {
        return Ok(());
    }
    eprintln!("{}", String::from_utf8_lossy(&ran.stderr));
    Err(Failure("the page is not as it must be".to_owned()))
}
