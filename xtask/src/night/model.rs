//! `cargo xtask model`: proves the lemmas of the models, and compares the code with the models.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::Value;

use crate::install::node::Packages;
use crate::process::{Failure, artifacts, fail_for, output, succeed};
use crate::root;

/// The package that compiled models need.
const PACKAGES: [&str; 1] = ["bignumber.js@9.3.1"];

/// Runs behind a compiled model.
const DRIVER: &str = include_str!("model/driver.js");

/// The number of vectors of one model at most: they are in the repository. A domain may say less.
const VECTORS: usize = 400;

/// The number of questions by which the code and the models are compared, by default: more than a
/// million, since the domains of some models are smaller than their share.
const CASES: usize = 1_800_000;

/// The options by which Dafny verifies a model.
const VERIFY: [&str; 2] = ["/compile:0", "/timeLimit:60"];

/// Those by which it writes a model as JavaScript. It then exits with 3, because nothing runs it.
const TRANSLATE: [&str; 4] = ["/compile:0", "/noVerify", "/spillTargetCode:3", "/compileTarget:js"];

/// A model beside the code of a crate.
struct Model {
    package: String,
    name: String,
    /// The file without its extension.
    path: PathBuf,
    text: String,
}

/// Proves each model, refuses it with its fault, compares the vectors, and compares the code with
/// the model by this number of random questions.
pub(crate) fn run(arguments: &[&str]) -> Result<(), Failure> {
    let cases = match arguments {
        [] => CASES,
        [cases] => cases.parse()?,
        _ => return Err(Failure("`model` takes the number of questions, or nothing".into())),
    };
    let models = models()?;
    let directory = root().join("target/model");
    let packages = Packages::install(&directory, &PACKAGES)?;
    let begun = Instant::now();
    let mut failed = Vec::new();
    let mut note = |model: &Model, failure: Failure| {
        eprintln!("error: {}: {failure}", model.name);
        failed.push(model.name.clone());
    };
    // Two at a time: each is a process that waits for its prover.
    for pair in models.chunks(2) {
        let verified: Vec<_> = std::thread::scope(|scope| {
            let directory = &directory;
            let start = |model| scope.spawn(move || Model::verify(model, directory));
            let started: Vec<_> = pair.iter().map(start).collect();
            started.into_iter().map(|it| it.join().expect("it does not panic")).collect()
        });
        for (model, verified) in pair.iter().zip(verified) {
            verified.unwrap_or_else(|failure| note(model, failure));
        }
    }
    let lemmas: usize = models.iter().map(Model::lemmas).sum();
    println!("{lemmas} numbered lemmas in {} s", begun.elapsed().as_secs());
    let mut build = vec!["test", "--test", "it", "--no-run", "--message-format", "json"];
    build.extend(models.iter().flat_map(|model| ["--package", &model.package]));
    let tests = artifacts(&build)?;
    for model in &models {
        let checked = model.refuse_fault(&directory).and_then(|()| model.compare(&packages));
        let share = cases.div_ceil(models.len());
        let checked = checked.and_then(|()| model.drive(&packages, &tests, share));
        checked.unwrap_or_else(|failure| note(model, failure));
    }
    fail_for("models", &failed)
}

fn models() -> Result<Vec<Model>, Failure> {
    let mut models = Vec::new();
    for entry in fs::read_dir(root().join("crates"))? {
        let package = entry?.file_name().to_string_lossy().into_owned();
        let folder = root().join("crates").join(&package).join("model");
        for file in fs::read_dir(folder).into_iter().flatten() {
            let path = file?.path();
            if path.extension().is_some_and(|extension| extension == "dfy") {
                let (text, path) = (fs::read_to_string(&path)?, path.with_extension(""));
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                models.push(Model { package: package.clone(), name, path, text });
            }
        }
    }
    models.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(models)
}

impl Model {
    /// Returns the number of its lemmas that have a number.
    fn lemmas(&self) -> usize {
        let lemmas = self.text.lines().filter_map(|line| line.strip_prefix("lemma "));
        let names = lemmas.map(|lemma| lemma.trim_start_matches("{:induction false} "));
        names.filter(|name| name.chars().nth(1).is_some_and(|c| c.is_ascii_digit())).count()
    }

    /// Proves the model and writes it as JavaScript, with the driver behind it.
    fn verify(&self, directory: &Path) -> Result<(), Failure> {
        let (is_proven, verdict) = prove(directory, &self.name, &self.text)?;
        println!("{:12} {verdict}", self.name);
        if !is_proven {
            return Err(Failure(verdict));
        }
        let [file, compiled, program] =
            ["dfy", "js", "cjs"].map(|end| directory.join(&self.name).with_extension(end));
        output(Command::new("dafny").args(TRANSLATE).arg(file).current_dir(directory))?;
        Ok(fs::write(program, format!("{}\n{DRIVER}", fs::read_to_string(compiled)?))?)
    }

    /// Proves that the proof fails with the fault that the model names.
    fn refuse_fault(&self, directory: &Path) -> Result<(), Failure> {
        let fault = self.text.lines().find_map(|line| line.strip_prefix("// fault: "));
        let fault = fault.and_then(|fault| fault.split_once(" => "));
        let (right, wrong) = fault.ok_or_else(|| Failure("it names no fault".into()))?;
        let (head, text) = self.text.split_once(wrong).unwrap_or_default();
        if text.matches(right).count() != 1 {
            return Err(Failure(format!("`{right}` is not in it once")));
        }
        let text = format!("{head}{}", text.replacen(right, wrong, 1));
        let (is_proven, verdict) = prove(directory, &format!("{}-fault", self.name), &text)?;
        if is_proven {
            return Err(Failure("it is proven with its fault, too".into()));
        }
        println!("{:12} with its fault: {verdict}", self.name);
        Ok(())
    }

    /// Returns a command that prints so many questions with the answers of the model, or fewer if
    /// the domain says so.
    fn questions(&self, packages: &Packages, limit: &str, count: usize, seed: usize) -> Command {
        let program = root().join("target/model").join(&self.name).with_extension("cjs");
        let mut command = packages.run(program);
        command.arg(self.path.with_extension("json"));
        command.args([limit, &count.to_string(), &seed.to_string()]);
        command
    }

    /// Compares the committed vectors with the answers of the model.
    fn compare(&self, packages: &Packages) -> Result<(), Failure> {
        let printed = succeed(&mut self.questions(packages, "vectors", VECTORS, 1))?;
        let parent = self.path.parent().unwrap_or(&self.path).join("vectors");
        let path = parent.join(&self.name).with_extension("jsonl");
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            fs::create_dir_all(parent)?;
            return Ok(fs::write(path, printed)?);
        }
        match fs::read(&path)? == printed {
            true => Ok(()),
            false => Err(Failure(format!("{} are others", path.display()))),
        }
    }

    /// Asks the model and the code the same questions, which the test of the vectors reads from a
    /// pipe.
    fn drive(&self, packages: &Packages, tests: &[Value], count: usize) -> Result<(), Failure> {
        let folder = root().join("crates").join(&self.package);
        let manifest = folder.join("Cargo.toml").display().to_string();
        let is_own = |test: &&Value| test["manifest_path"] == manifest;
        let tests = tests.iter().filter(is_own).find_map(|test| test["executable"].as_str());
        let tests = tests.ok_or_else(|| Failure("cargo built no tests".into()))?;
        let mut model = self.questions(packages, "cases", count, count);
        let mut model = model.stdout(Stdio::piped()).spawn()?;
        let answers = model.stdout.take().expect("it is piped");
        let filter = format!("vectors::{}_", self.name);
        let mut code = Command::new(tests);
        code.args([&filter, "--nocapture"]).env("PROWESS_VECTORS", "/dev/stdin").stdin(answers);
        code.current_dir(folder);
        let ran = output(&mut code)?;
        let printed = String::from_utf8_lossy(&ran.stdout);
        if !(model.wait()?.success() && printed.contains("1 passed")) {
            return Err(Failure(format!("{printed}{}", String::from_utf8_lossy(&ran.stderr))));
        }
        let counted = String::from_utf8_lossy(&ran.stderr);
        let counted = counted.lines().find(|line| line.ends_with(" questions"));
        let counted = counted.ok_or_else(|| Failure("the test asked nothing".into()))?;
        println!("{:12} {counted}, answered alike", self.name);
        Ok(())
    }
}

/// Returns whether all of a model is proven, with the last line of Dafny. It prints more: the
/// prover does not know one of its options.
fn prove(directory: &Path, name: &str, text: &str) -> Result<(bool, String), Failure> {
    let file = directory.join(name).with_extension("dfy");
    fs::write(&file, text)?;
    let ran = output(Command::new("dafny").args(VERIFY).arg(&file).current_dir(directory))?;
    let printed = String::from_utf8_lossy(&ran.stdout);
    let verdict = printed.lines().rfind(|line| line.starts_with("Dafny program verifier"));
    let verdict = verdict.ok_or_else(|| Failure(printed.to_string()))?;
    let verdict = verdict.trim_start_matches("Dafny program verifier finished with ");
    let is_proven = ran.status.success() && verdict.ends_with(" verified, 0 errors");
    Ok((is_proven, verdict.to_owned()))
}
