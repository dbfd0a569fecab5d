//! `prowess plugin list`, `inspect` and `trust`: shapes, verdicts, and that no library is opened.

mod failures;
mod inspecting;
mod skills;
mod trusting;

use std::path::{Path, PathBuf};

use prowess_testkit::PluginFile;
use serde_json::Value;
use tempfile::TempDir;

use crate::program::{Program, Ran};

/// A home with a directory of plugins.
struct Home {
    _directory: TempDir,
    path: PathBuf,
}

impl Home {
    fn new() -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().canonicalize().expect("it is there");
        std::fs::create_dir_all(path.join(".prowess/plugins")).expect("a directory can be made");
        Self { _directory: directory, path }
    }

    /// Installs a plugin that says by a file if its code runs.
    fn install(&self, name: &str, version: &str) -> PathBuf {
        let manifest =
            prowess::plugin_host::Manifest { version: version.into(), ..PluginFile::manifest() };
        let trap = format!(
            "#include <stdio.h>\n\
             __attribute__((constructor)) static void run(void) {{ fopen(\"{}\", \"w\"); }}",
            self.trap().display()
        );
        self.write(name, &PluginFile::new(&manifest).code(&trap).build())
    }

    fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let file = self.path.join(".prowess/plugins").join(name);
        std::fs::write(&file, bytes).expect("a file can be written");
        file
    }

    fn trap(&self) -> PathBuf {
        self.path.join("it-ran")
    }

    fn run(&self, args: &[&str]) -> Ran {
        // The store of trust is what these tests are about.
        let ran = Program::new().linked().at_home_in(&self.path).run(args);
        assert!(!self.trap().exists(), "no code of a plugin runs by `prowess {}`", args.join(" "));
        ran
    }

    fn trust(&self, file: &Path) -> Ran {
        self.run(&["plugin", "trust", &file.display().to_string()])
    }

    /// Returns a document with what differs from run to run replaced.
    fn fixed(&self, document: &Value) -> String {
        let mut text = format!("{document:#}\n").replace(&self.path.display().to_string(), "$HOME");
        while let Some(at) = text.find("sha256:").filter(|at| text.len() > at + 71) {
            text.replace_range(at..at + 71, "$DIGEST");
        }
        text.replace(&PluginFile::manifest().target, "$TARGET")
    }

    /// Checks that a run fails with this code and this part of a message.
    #[track_caller]
    fn check_failure(&self, args: &[&str], code: &str, message: &str) {
        let ran = self.run(&[args, &["--format", "json"]].concat());
        let error = ran.error();
        assert_eq!((ran.code, &error["code"]), (Some(1), &code.into()), "{error:#}");
        assert!(error["message"].as_str().unwrap_or_default().contains(message), "{error:#}");
        assert!(!error["help"].as_str().unwrap_or_default().is_empty(), "there is a next step");
    }
}

/// The plugin of skills in its own configuration, installed, and the file that configures it.
fn memory(home: &Home, isolation: &str) -> (String, String) {
    let built = std::fs::read(prowess_testkit::build_plugin("prowess-plugin-memory"));
    let file = home.write("memory.so", &built.expect("the plugin is built"));
    let config = format!(
        "plugins:
  isolation: {isolation}
  settings:
    prowess-plugin-memory:
      layer: user
      config:
        name: notes
        files:
          pdf/SKILL.md: \"---\\nname: pdf\\ndescription: Fills forms.\\n---\\nThe instructions\\n\"
"
    );
    let path = home.path.join("prowess.yaml");
    std::fs::write(&path, config).expect("a file can be written");
    (file.display().to_string(), path.display().to_string())
}
