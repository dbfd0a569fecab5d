//! Commands that want more memory than there is: each is an error, its session goes on as before,
//! and the host keeps its own memory.

use std::process::Command;

use prowess_shell::{ShellLimits, ShellPolicy};

use crate::fixture::{Setup, empty};

/// The host's memory may grow by this much, in kilobytes.
const MOST_GROWTH: u64 = 64 << 10;
const CHILD: &str = "PROWESS_SHELL_TEST_HOST";

/// How data begins, and how it grows.
const GROWTHS: &[(&str, &str)] = &[
    ("set -- '' '' '' ''", "set -- \"$@\" \"$@\""),
    ("set -- a", "set -- $* $*"),
    ("set -- aaaaaaaa", "set -- \"$1$1\""),
    ("a=(a a)", "a+=(\"${a[@]}\" \"${a[@]}\")"),
    ("a=(a)", "a=(\"${a[@]}\" \"${a[@]}\")"),
    ("a=(aaaa); i=0", "a[i++]=${a[*]}"),
    ("declare -A m; m[k]=aaaa", "m[${m[k]}]=${m[k]}; m[k]=${m[k]}${m[k]}"),
    ("x=aaaaaaaa", "x=$x$x"),
    ("x=aaaaaaaa", "x+=$x"),
    ("x=aaaaaaaa", "export x=\"$x $x\""),
    ("x=aaaaaaaa", "declare x=\"$x$x\""),
    ("x=aaaaaaaa", "printf -v x '%s%s' \"$x\" \"$x\""),
    ("x=aaaaaaaa", "read -r x <<< \"$x$x\""),
    ("x=aaaaaaaa", "mapfile x <<< \"$x$x\"; x=${x[0]}"),
    ("x=aaaaaaaa", "x=${x//a/aaaaaaaa}"),
    ("x=aaaaaaaa", "x=${x//a/$x}"),
    ("x=aaaaaaaa", "x=$(echo \"$x$x\")"),
    ("x=aaaaaaaa", "x=$(printf '%s' \"$x\" \"$x\" | rev)"),
    ("x=aaaaaaaa", "x=`echo $x$x`"),
    ("x=aaaaaaaa", "x=${x@Q}${x@Q}"),
    ("x=aaaaaaaa", "x=${x^^}${x,,}"),
    ("x=aaaaaaaa", "x=${y:-$x$x}"),
    ("x=aaaaaaaa", "x=$x$x; : \"${x#*a}\" \"${x%%a*}\""),
    ("x=aaaaaaaa", "IFS=a; x=$x$x; set -- $x; x=\"$*aa\""),
    ("x=aaaaaaaa", "x=$(cat <<E\n$x$x\nE\n)"),
    ("x=:", "x=\"$x; $x\"; eval \"f() { $x; }\""),
    ("x=:", "x=\"$x; $x\"; alias a=\"$x\""),
    ("x=:", "x=\"$x; $x\"; trap \"$x\" USR1"),
    ("x=a; i=0", "eval \"v$((i++))=$x\"; x=$x$x"),
    ("x=a; i=0", "eval \"f$((i++))() { echo $x; }\"; x=$x$x"),
    ("x=a", "x=$x$x; history -s \"$x\""),
    ("x=a", "x=$x$x; PS4=$x; set -x; : y; set +x"),
    ("x=a", "x=$x$x; cd . ; pushd /tmp; export CDPATH=$x"),
    ("x=a", "x=$x$x; [[ $x == @(a|aa|$x)*(a)+(a)b ]]"),
    ("x=a", "x=$x$x; [[ ${x}b =~ ^($x|a+)+$ ]]"),
    ("shopt -s extglob; x=a", "x=$x$x; case $x in *(*(a))b) ;; esac"),
    ("x=a", "x=$x$x; : ${x//+(a)/bb}"),
    ("x=10", "x=$((x * x)); printf \"%${x}s\" x"),
    ("x=1", "x=$x$x; : $(($x + 1))"),
    ("x=1", "x=$x$x; bc <<< \"$x * $x\""),
    ("x=1", "x=$((x * 10)); seq 1 $x | sort | tail -n 1"),
    ("x=1", "x=$((x * 10)); a=($(seq 1 $x))"),
    ("x=1", "x=$((x * 10)); eval \"echo {1..$x}\" | wc -c"),
    ("x={a,b}", "x=$x$x; eval \"echo $x\" | wc -c"),
    ("echo aaaa > /tmp/g", "cat /tmp/g /tmp/g > /tmp/h; mv /tmp/h /tmp/g; y=$(cat /tmp/g)"),
    ("echo aaaa > /tmp/g", "sed 's/a/aaaa/g' /tmp/g > /tmp/h; mv /tmp/h /tmp/g"),
    ("echo aaaa > /tmp/g", "awk '{print $0 $0}' /tmp/g > /tmp/h; mv /tmp/h /tmp/g"),
    ("echo aaaa > /tmp/g", "tr a '\\n' < /tmp/g | paste -s - /tmp/g > /tmp/h; mv /tmp/h /tmp/g"),
    ("echo aaaa > /tmp/g", "base64 /tmp/g | xxd > /tmp/h; mv /tmp/h /tmp/g"),
    ("i=0", "mkdir -p /tmp/d$((i++)); cp -r /tmp/d0 /tmp/d0/e$i; find / | sort > /tmp/l"),
    ("", "awk 'BEGIN { x = \"a\"; while (1) x = x x }'"),
    ("", "awk 'BEGIN { while (1) m[i++] = sprintf(\"%9999s\", i) }'"),
    ("", "awk 'BEGIN { $100000000 = 1; print }'"),
    ("", "sed ':a;s/^/aaaaaaaa/;ta' <<< a"),
    ("", "sed ':a;H;G;G;x;ba' <<< aaaa"),
    ("", "yes aaaaaaaa | sort | wc"),
    ("", "yes | head -c 3000000000 | tac | wc -c"),
    ("", "printf '%1000000000s' x | wc -c; printf '%.1000000000f' 1"),
    ("", "cat /dev/zero | tr '\\0' a | xargs echo | wc -c"),
    ("", "jq -n '[range(1000000000)] | length'; jq -n '\"a\" * 1000000000 | length'"),
    ("", "head -c 4000000 /dev/zero | gzip | zcat | sort | fold -w 1 | sort -R | wc -l"),
    ("f() { local x=$1$1; f \"$x\"; }", "f aaaaaaaa"),
    ("f() { set -- \"$@\" \"$@\"; f \"$@\" | f \"$@\"; }", "f a b"),
    ("x='y=$y$y$y; eval \"$x\"'; y=aaaa", "eval \"$x\""),
];

/// The ways in which a command repeats a growth.
const LOOPS: &[&str] = &[
    "{I}\nwhile :; do {G}\ndone",
    "{I}\nuntil false; do {G}\ndone",
    "{I}\nfor ((;;)); do {G}\ndone",
    "{I}\nfor i in {1..2000}; do {G}\ndone",
    "({I}\nwhile :; do {G}\ndone)",
    "y=$({I}\nwhile :; do {G}\ndone)",
    "{ {I}\nwhile :; do {G}\ndone; } | cat | wc -c",
    "{ {I}\nwhile :; do {G}\ndone; } > /tmp/o 2>&1",
    "{I}\nwhile :; do {G}\ndone & wait",
    "{I}\nwhile read -r l; do {G}\ndone < <(yes)",
    "yes | { {I}\nwhile read -r l; do {G}\ndone; }",
    "trap 'echo ended' EXIT; {I}\nwhile :; do {G}\ndone",
    "g() { {I}\nwhile :; do {G}\ndone; }; g a",
    "cat > /tmp/s <<'END'\n{I}\nwhile :; do {G}\ndone\nEND\nbash /tmp/s a",
    "cat > /tmp/s <<'END'\n{I}\nwhile :; do {G}\ndone\nEND\n. /tmp/s a",
    "x1=$(cat <<'END'\n{I}\nwhile :; do {G}\ndone\nEND\n); eval \"$x1\"",
];

/// Returns a command for each growth in each loop.
fn hostile() -> impl Iterator<Item = String> {
    let in_loop =
        |(begin, grow): &(&str, &str), form: &str| form.replace("{I}", begin).replace("{G}", grow);
    GROWTHS.iter().flat_map(move |growth| LOOPS.iter().map(move |form| in_loop(growth, form)))
}

/// Returns the most memory that this process has had, in kilobytes.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().strip_suffix(" kB").unwrap().parse().unwrap()
}

/// Runs `test`, which is this one, in a process of its own.
fn as_host(test: &str, run: impl FnOnce()) {
    if std::env::var_os(CHILD).is_some() {
        return run();
    }
    let mut host = Command::new(std::env::current_exe().unwrap());
    let host = host.args(["--exact", test, "--nocapture"]).env(CHILD, "1").output().unwrap();
    assert!(host.status.success(), "{}", String::from_utf8_lossy(&host.stderr));
}

fn leave_host_and_session(commands: impl Iterator<Item = String>) {
    let limits = ShellLimits { seconds: 1, steps: 2000, ..ShellLimits::default() };
    let setup = Setup::new(&[], ShellPolicy { limits, ..ShellPolicy::default() });
    setup.run("echo kept > /kept");
    let before = peak();
    for command in commands {
        let outcome = setup.in_session("session", &command).unwrap();
        let kept = setup.run("unset IFS x; cat /kept; x=on; echo $x; rm -rf /tmp/*");
        assert_eq!(kept.stdout, "kept\non\n", "after {command:?}: {outcome:?}");
        assert!(outcome.stdout.len() + outcome.stderr.len() <= 1 << 18, "{command:?}");
        assert!(
            peak().saturating_sub(before) < MOST_GROWTH,
            "the host has {} kB after {command:?}",
            peak()
        );
    }
}

#[test]
fn one_loop_of_each_growth_leaves_host_and_session() {
    let some = (0..).step_by(LOOPS.len() + 1).take(GROWTHS.len());
    let all: Vec<_> = hostile().collect();
    let picked: Vec<_> = some.map(|at: usize| all[at % all.len()].clone()).collect();
    as_host("memory::one_loop_of_each_growth_leaves_host_and_session", || {
        leave_host_and_session(picked.into_iter());
    });
}

#[test]
fn limit_of_memory_is_an_outcome() {
    let limits = ShellLimits { memory_bytes: 16 << 20, ..ShellLimits::default() };
    let setup = Setup::new(&[], ShellPolicy { limits, ..ShellPolicy::default() });
    setup.run("echo kept > /kept");
    let grow = "awk 'BEGIN { while (1) m[i++] = sprintf(\"%9999s\", i) }'";
    let outcome = setup.run(&format!("echo before; echo changed > /kept; > /tmp/new; {grow}"));
    assert!(outcome.exit_code == 124 && outcome.stdout.starts_with("before\n"), "{outcome:?}");
    let reason = outcome.stopped.unwrap();
    assert!(reason.contains("16 MiB of memory") && reason.ends_with("is undone"), "{reason}");
    assert_eq!(setup.run("cat /kept; ls /tmp").stdout, "kept\n", "it is as before");
    let outcome = empty().run("set -- a b c d; while :; do set -- \"$@\" \"$@\"; done");
    let reason = outcome.stopped.as_deref();
    assert_eq!(reason, Some("the limit of the length of arguments was reached"), "{outcome:?}");
    assert!(!outcome.stderr.contains("hook"), "it is in the words of the shell: {outcome:?}");
}

#[test]
fn all_sandboxes_have_a_limit_together() {
    as_host("memory::all_sandboxes_have_a_limit_together", || {
        for (memory_bytes, is_kept) in [(128 << 20, true), (1 << 30, false)] {
            let limits = ShellLimits { memory_bytes, ..ShellLimits::default() };
            let setup = Setup::new(&[], ShellPolicy { limits, ..ShellPolicy::default() });
            let [_, _, again] = ["one", "two", "one"]
                .map(|session| setup.in_session(session, "x=$(seq 9999)").map(|ran| ran.sandbox));
            let dropped = again.err().map(|error| error.code.as_str().to_owned());
            let expected = (!is_kept).then(|| "sandbox-dropped".to_owned());
            assert_eq!(dropped, expected, "the older sandbox goes for {memory_bytes} bytes");
        }
    });
}

pub(crate) mod night {
    use super::{as_host, hostile, leave_host_and_session};

    #[test]
    fn even_loops_leave_host_and_session() {
        as_host("memory::night::even_loops_leave_host_and_session", || half(0));
    }

    #[test]
    fn odd_loops_leave_host_and_session() {
        as_host("memory::night::odd_loops_leave_host_and_session", || half(1));
    }

    /// Two hosts take half of the time.
    fn half(first: usize) {
        assert!(hostile().count() > 1_000);
        leave_host_and_session(hostile().skip(first).step_by(2));
    }
}
