//! Outcomes, and commands that do not run.

use prowess_shell::{ShellLimits, ShellPolicy};

use crate::fixture::{Setup, empty};

#[test]
fn exit_code_and_both_streams_are_an_outcome() {
    for (command, code, stdout, stderr) in [
        ("echo out; echo err >&2; exit 3", 3, "out\n", "err\n"),
        ("if then (", 2, "", "syntax error"),
        ("python3 script.py", 127, "", "python3: command not found"),
    ] {
        let setup = empty();
        let outcome = setup.run(&format!("x=1; {command}"));
        assert_eq!((outcome.exit_code, outcome.stdout.as_str()), (code, stdout), "{outcome:?}");
        assert!(outcome.stderr.contains(stderr), "the message says what is wrong: {outcome:?}");
        assert_eq!((outcome.truncated, outcome.stopped), (false, None));
        assert_eq!(setup.run("echo after").stdout, "after\n", "the session goes on");
    }
}

#[test]
fn output_over_the_limit_is_cut() {
    let limits = ShellLimits { output_bytes: 1000, ..ShellLimits::default() };
    let setup = Setup::new(&[], ShellPolicy { limits, ..Default::default() });
    let outcome = setup.run("seq 1 1000");
    assert!(outcome.stdout.len() <= 1000 && outcome.stdout.starts_with("1\n2\n"), "{outcome:?}");
    assert!(outcome.truncated, "the outcome says that something is missing");
}

#[test]
fn limit_keeps_the_output_so_far() {
    let outcome = empty().run("echo before; while true; do :; done; echo after");
    assert_eq!(outcome.exit_code, 124, "{outcome:?}");
    assert_eq!(outcome.stdout, "before\n", "{outcome:?}");
    assert!(outcome.stopped.is_some_and(|reason| reason.contains("exceeded")));
}

#[test]
fn limit_that_is_not_seen_ends_the_command() {
    for (command, limit) in [
        ("diff <(seq 1 3000000) <(seq 1 3000000 | sed s/2999999/x/); echo same=$?", "`seq`"),
        ("x=$(seq 0.5 .000001 2 2>/dev/null | tail -1); echo $x", "`seq`"),
        ("seq -s 'a long separator' 90000 2>/dev/null | wc -c", "`seq`"),
        ("seq -f %0100g 20000 2>/dev/null | wc -c", "`seq`"),
        ("yes 2>/dev/null | tail -1", "`yes`"),
        ("x=$(yes a); echo ${#x}", "`yes`"),
        ("bc <<< 9^9^9", "`bc`"),
        ("x=$(echo 'scale=20; 1/3' | bc); echo $x", "`bc`"),
        ("bc 2>/dev/null <<< '2^53+1' | cat", "`bc`"),
        ("head -c 2M /dev/zero | wc -c", "endless device"),
        ("head --bytes=9000 /dev/urandom | wc -c", "endless device"),
        ("head -c 2M </dev/zero | wc -c", "endless device"),
        ("cat /dev/zero|tr '\\0' x | head -c 2000000 2>&1 | wc -c", "endless device"),
        ("x=$(</dev/urandom head --bytes 9000 | wc -c); echo $x", "endless device"),
        ("for i in {1..20000}; do :; done; echo $i", "range of braces"),
        ("echo {1..300}{1..300} | wc -w", "range of braces"),
        ("a=({a..z}{a..z}{a..z}{a..z}); echo ${#a[@]}", "range of braces"),
        ("echo {a,b,c,d,e,f}{1..99}{1..99} | wc -w", "range of braces"),
        ("a=20000; eval echo {1..$a} | wc -w", "range of braces"),
        ("cat /dev/zero | wc -c", "endless device"),
        ("wc -c </dev/zero", "endless device"),
        ("x=$(printf '%-12000s|' x 2>/dev/null); echo ${#x}", "`printf`"),
        ("printf -v x '%*d' 12000 1 2>/dev/null; echo ${#x}", "`printf`"),
        ("seq 90000 | numfmt --padding=20 2>/dev/null | wc -l", "`numfmt`"),
        ("seq 90000 | sed 's/^/\t\t/' | expand 2>/dev/null | wc -l", "`expand`"),
        ("seq -s, 2000 | sed ':a;s/,/ /;ta' 2>/dev/null | wc -c", "`sed`"),
        ("md5sum < /dev/zero; grep -c x /dev/zero", "endless device"),
        ("awk 'BEGIN{for(i=0;i<1e8;i++)s+=i;print s}' 2>/dev/null | cat", "work units"),
    ] {
        for setup in [empty(), Setup::in_this_process(ShellPolicy::default())] {
            let outcome = setup.run(command);
            assert_eq!(outcome.stdout, "", "`{command}` has no result");
            let reason = outcome.stopped.unwrap_or_default();
            assert!(reason.contains(limit), "`{command}` names its limit: {reason}");
            assert_eq!(outcome.exit_code, 124, "`{command}` fails");
        }
    }
    for (command, output) in [
        ("seq 100000 | tail -1; seq -w 8 10 | head -1; seq 3 -1 1 | tail -1", "100000\n08\n1\n"),
        ("seq -s , 1 5; seq -f x%g 1 1; seq --separator=2 3 4", "1,2,3,4,5\nx1\n324\n"),
        ("yes | head -n 20000 | wc -l; yes a b | head -1", "20000\na b\n"),
        ("bc <<< '10/4; scale=2; 10/4; 2^40; -0.5'", "2\n2.50\n1099511627776.00\n-0.50\n"),
        ("head -c 8 /dev/zero | wc -c; head -c 3 <<< abcd", "8\nabc"),
        ("head -c 8 </dev/zero | wc -c; cat /dev/zero | head -c 3 | wc -c", "8\n3\n"),
        ("wc -c < /dev/null; head -c 2M <<< abcd", "0\nabcd\n"),
        ("echo {1..10000} | wc -w; echo {a..c} {1,2}", "10000\na b c 1 2\n"),
        (
            "printf '%5d|%s\n' 20000 ab; eval echo {1..3}; echo a/dev/zero",
            "20000|ab\n1 2 3\na/dev/zero\n",
        ),
        ("seq 11000 | awk '{for(i=1;i<=NF;i++)s+=$i} END{print s}'", "60505500\n"),
        ("seq 100000 | sed 's/^/0123456789abcdef/' | wc -c; ls /dev/zero", "2188895\n/dev/zero\n"),
        ("seq 90000 > g; split -l 10 g; echo $?; sed -n 7p < g; echo a | tee b", "1\n7\na\n"),
        ("printf '\\377' > b; tee c < b; sed s/a/b/ b; split b; echo $?", "1\n"),
        ("printf 'a\tb\n' | expand -t 4; echo abc > f; sed -i s/b/x/ f; cat f", "a   b\naxc\n"),
        ("x=$(seq 20000); echo 'seq 20000' > a.sh; sh a.sh > b; wc -l < b", "20000\n"),
        ("sh a.sh 2>&1 >/dev/null; bash -c 'sh a.sh >&2' 2> c; wc -l < c", "20000\n"),
    ] {
        let setup = empty();
        setup.run("echo 'seq 20000' > a.sh");
        assert_eq!(setup.run(command).stdout, output, "`{command}` has its whole result");
    }
}
