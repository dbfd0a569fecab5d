//! The interpreters of the default table, as they are.

use crate::fixture::Skill;

#[test]
fn interpreters_of_the_table_run() {
    let skill = Skill::new(&[
        ("scripts/a.py", "import sys; print('python', sys.version_info[0])"),
        ("scripts/a.sh", "echo shell ${BASH_VERSION:+bash}"),
        ("scripts/a.js", "console.log('node', typeof require)"),
        ("scripts/a.mjs", "console.log('module', typeof require)"),
        ("scripts/a.PL", "print 'perl ', $] > 5 ? 5 : 0, \"\\n\";"),
        ("scripts/a.rb", "puts \"ruby #{RUBY_VERSION > '2' ? 2 : 0}\""),
    ]);
    for (path, expected) in [
        ("scripts/a.py", "python 3\n"),
        ("scripts/a.sh", "shell bash\n"),
        ("scripts/a.js", "node function\n"),
        ("scripts/a.mjs", "module undefined\n"),
        ("scripts/a.PL", "perl 5\n"),
        ("scripts/a.rb", "ruby 2\n"),
    ] {
        let outcome = skill.run(path);
        assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), (expected, ""), "{path}");
        assert_eq!(outcome.exit_code, Some(0), "{path}");
    }
}
