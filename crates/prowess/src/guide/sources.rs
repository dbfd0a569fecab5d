//! Providing skills from a place of your own.
//!
//! A [`SkillSource`](crate::SkillSource) reports packages and reads their files. It never parses
//! frontmatter: it hands over bytes, and the registry does the rest. Its three calls are:
//!
//! - `scan` reports each package once, either with the first bytes of its `SKILL.md`, or as
//!   unchanged since the previous scan. A [`Stamp`](crate::Stamp) identifies a version: a number,
//!   a time or an ETag, whatever the place has. A source without stamps is read again each time.
//!   The file may also be called `skill.md`, if the package has no `SKILL.md`.
//! - `list` names the other files of a package.
//! - `read` returns a whole file, or an error. It never returns more bytes than the limit.
//!
//! A source that can notice changes implements `watch` too; otherwise the registry scans again when
//! its policy says so.
//!
//! # The shortest source
//!
//! Skills that are generated or compiled in need no implementation, only a
//! [`MemorySource`](crate::MemorySource):
//!
//! ```
//! use prowess::MemorySource;
//!
//! let skill = "---\nname: tea\ndescription: Brews tea. Use when thirsty.\n---\n";
//! let source = MemorySource::builder("drinks")
//!     .file("tea/SKILL.md", skill)
//!     .file("tea/references/times.md", "Green: 2 minutes.\n")
//!     .build()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A source of its own
//!
//! The example `custom-source` is complete in about a hundred lines. Test a source with
//! `prowess_testkit::check_source`, which checks every rule of the trait's list, among them: a
//! package that cannot be read is reported and hides no other one, no path leaves the package, and
//! calls end soon after they are cancelled.
//!
//! # Trust
//!
//! The layer that a host puts a source into decides how far its skills are trusted, not the source.
//! Skills of an untrusted layer grant no tools and never shadow a trusted skill.
//!
//! # As a plugin
//!
//! The same implementation becomes a dynamic library with one macro of `prowess-plugin-sdk`;
//! `prowess plugin new NAME` writes such a package, and `prowess plugin check` tests the result.
