//! Writing a skill that models find and can use.
//!
//! ```console
//! $ prowess new pdf-forms          # writes a SKILL.md to start from
//! $ prowess validate pdf-forms     # checks it, with the line and column of each finding
//! $ prowess search --probe queries.json     # whether people's words find it
//! $ prowess list                   # whether it is offered, and if not, why
//! ```
//!
//! # The description decides
//!
//! Before a skill is loaded, a model knows its name and its description, nothing else. Say what the
//! skill does and when to use it, in the words that users type: "Fills in PDF forms. Use when a PDF
//! has fields to fill in." `prowess search --probe FILE --suggest` names words that distinguish a
//! skill from its neighbours.
//!
//! # The body is read once it is needed
//!
//! Keep it below about 5,000 tokens, and move what only some tasks need into files of
//! `references/`, each named in the body with the case in which to read it. Paths are relative to
//! the directory of the skill.
//!
//! # Scripts are run, not read
//!
//! A script in `scripts/` costs no tokens until it runs, and then only its output. Take arguments
//! instead of input from a terminal, print results on standard output, and exit with another code
//! than 0 if something is wrong. Scripts run confined: they read their package and may write to a
//! directory of the run; `prowess run` shows how.
//!
//! # Checks
//!
//! [`prowess-lint`](crate::lint) has the rules of `validate` as a library. Each finding has a code,
//! and `prowess explain CODE` prints its meaning and an example:
//!
//! ```
//! use prowess::format::{Profile, parse};
//!
//! let parsed = parse(b"---\nname: pdf-forms\n---\nFill it in.\n", Profile::Spec);
//! let codes: Vec<_> = parsed.diagnostics.iter().map(|finding| finding.code.as_str()).collect();
//! assert_eq!(codes, ["description-missing"]);
//! ```
