//! The compared packages.

/// Another answer to the same question.
pub(super) struct Peer {
    /// The name of its package.
    pub(super) name: &'static str,
    /// Where it comes from.
    pub(super) kind: Kind,
    /// How its catalog call differs from that of the others.
    pub(super) does: &'static str,
}

/// Which registry a peer is installed from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// None: it is part of this workspace.
    Own,
    /// Of crates; the version stands in `benches/compare/rust/Cargo.toml`.
    Crate,
    /// Of Python packages, in this version.
    Python(&'static str),
    /// Of Node packages, in this version.
    Node(&'static str),
}

impl Kind {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Own => "this workspace",
            Self::Crate => "crate",
            Self::Python(_) => "Python",
            Self::Node(_) => "Node",
        }
    }
}

/// The places of the two that the others are compared with.
pub(super) const FLOOR: usize = 0;
pub(super) const OURS: usize = 1;

pub(super) const PEERS: [Peer; 8] = [
    Peer {
        name: "floor",
        kind: Kind::Own,
        does: "the bare system calls: lists the root, opens each `SKILL.md`, reads 4 KiB, closes it; parses nothing",
    },
    Peer {
        name: "prowess",
        kind: Kind::Own,
        does: "walks trees of any depth without leaving the root, reads the frontmatter alone, checks it, resolves \
               names between layers, keeps diagnostics with their places and what a reload needs",
    },
    Peer {
        name: "brainwires-skills",
        kind: Kind::Crate,
        does: "looks at the direct children, reads each file whole, keeps its metadata; logs what it cannot read",
    },
    Peer {
        name: "skills-ref-rs",
        kind: Kind::Crate,
        does: "has no catalog call, so the loop over the directory is the driver's; reads each file whole, keeps its \
               frontmatter",
    },
    Peer {
        name: "agent-skills",
        kind: Kind::Crate,
        does: "has no catalog call, so the loop over the directory is the driver's; validates each skill and keeps \
               its body",
    },
    Peer {
        name: "deepagents",
        kind: Kind::Python("0.7.32"),
        does: "looks at the direct children, reads each file whole, parses and validates the frontmatter, keeps the \
               metadata",
    },
    Peer {
        name: "skills-ref",
        kind: Kind::Python("0.1.1"),
        does: "the reference tool; has no catalog call, so the loop over the directory is the driver's; reads each \
               file whole, keeps its frontmatter",
    },
    Peer {
        name: "@google/gemini-cli-core",
        kind: Kind::Node("0.61.0"),
        does: "looks for `SKILL.md` in the root and its direct children, reads each file whole and keeps its body; \
               skips what it cannot read",
    },
];
