//! Security in detail: how each promise is kept, and where it ends.
//!
//! `SECURITY.md` of the repository lists the promises in short, the attacker and how to report a
//! vulnerability. Codes in brackets are those of results and findings; `prowess explain CODE` shows
//! each of them.
//!
//!
//! # Promises
//!
//! ## No read leaves a package
//!
//! A path is resolved and opened in one step, below the package's directory, whatever its text, the
//! targets of its links, or concurrent changes. Only regular files are read, and only up to a
//! limit. In a layer that is not trusted, files with several hard links and mount points inside the
//! directory of skills are not read: both may belong to something outside. A package store that
//! uses hard links belongs in a trusted layer, or `discovery.hard_links: allow` permits it.
//!
//! Each refused call is recorded in the audit with its code.
//!
//! ## A partly written file is never returned as complete
//!
//! A file that is being saved is read when it no longer changes, or not at all.
//!
//! ## Every input has a result
//!
//! Parsing has limits on size, depth and nodes, each with a diagnostic; no input stops the host or
//! affects other skills.
//!
//! ## No skill is lost silently
//!
//! Each `SKILL.md` that discovery finds becomes a record, a shadowed record, or a diagnostic with
//! its path.
//!
//! ## No text leaves its block
//!
//! The text of a skill in the prompt's catalog or in a loaded body cannot end its block or start
//! another, and contains no characters that are invisible to a person.
//!
//! ## An untrusted layer does not shadow a trusted one
//!
//! This holds whatever weights, priorities and policies say, even where the trusted skill is
//! disabled or not ready.
//!
//! ## The signer of an installed skill stays the same
//!
//! The key that signed the first version is printed and pinned in the lock file. A version that
//! another key signed, or none, is refused, whatever the server says, until you name the new key
//! with `--signer`. The first key comes from the server, unless you name it: it is as trustworthy
//! as the server was that day.
//!
//! With the feature `sigstore`, the signer may be an identity and its issuer instead of a key: a
//! bundle counts only with a certificate of the trusted authority, its entry in the log of
//! certificates, and a proof of the transparency log; a statement that says something else than
//! where the bytes come from (such as a list of parts) is no signature. In a registry, the bundle
//! signs the manifest, which has the digest of the package; of several bundles, one of the pinned
//! or named signer counts.
//!
//! So does a signature under the tag `.sig`, as older versions of cosign make it: what it signs has
//! to name the manifest, and the transparency log has to have signed its entry (a promise of the
//! log, not the proof that a bundle has). One that cosign made with a key is not verified. What has
//! only such a signature or other statements counts as unsigned, which `prowess add` reports with
//! their kinds: it is refused where a signer is pinned or named, and a wrong signature next to it
//! is refused, too.
//!
//! A skill of a trusted source or signer can do what your own skills can do; revoked trust ends
//! every read at once, and the skill leaves the catalog with the next reload. Old signed versions
//! are not recognized as old.
//!
//! ## A file of an MCP server is the listed one, or it is refused
//!
//! The identity of a skill is the label that you give the server, and the URI. Its size, its digest
//! and each field of its frontmatter are compared with the server's listing at each read, an
//! unlisted file is never read, and an approval is bound to the digests of all files. Skills of a
//! server are in an untrusted layer unless you name another: their `allowed-tools` grant nothing,
//! and they shadow no trusted skill. Lists, messages, waits and errors have limits; a URI is a name
//! and never a path of a disk.
//!
//! Digests show that listing and files agree, not that the server is honest. The command of a
//! server is a program that you name: it gets the variables that you list and no others of yours,
//! and it is not confined.
//!
//! ## A project's skills are not offered before the project is trusted
//!
//! Skills that come with a folder are listed, but none is offered, loaded or read for a model,
//! until the user trusts that folder (`prowess trust`). Trust applies to one folder, not to a path:
//! another folder at the same path has to be trusted separately, and so does a repository inside
//! the folder. A running program reads a project through handles of the folder that it found at its
//! start, so that no byte of a folder that is moved to that path later reaches a model; to use such
//! a folder, trust it and restart the program.
//!
//! Neither a project's directory of skills nor one of its skills can be a link out of the project;
//! a link to another part of the project counts as the project's, whatever its content.
//!
//! ## A project's configuration gives it no rights
//!
//! `.prowess/config.yaml` is not read before its folder is trusted, and then through a handle of
//! that very folder. It may only contain the keys that `prowess help configuration` lists; any
//! other key, and a limit above the operator's, is an error, and no command runs.
//!
//! ## No plugin runs without explicit trust
//!
//! A dynamic library is opened only if the operator has trusted its exact bytes, or a key that has
//! signed them for this name, version and system. The bytes that are opened are those that were
//! checked; the path is not read again. A file's manifest and requirements are read without opening
//! it as a library, and each refusal says that nothing was executed. No skill, no project and no
//! working directory can name a plugin.
//!
//! ## A plugin in its own process cannot take the host down
//!
//! A crash, an exit, an overflow or a hang is an error of one call; a process that hangs is killed
//! and replaced. A plugin that crashes too often is no longer started.
//!
//! ## A plugin in its own process is confined
//!
//! Before the library is opened, the process drops every right that the plugin was not granted,
//! checks each layer, and stops if one is missing (`sandbox-unavailable`). Landlock: it reads the
//! files that its configuration names or `rights` grants, and the system's libraries, time zones
//! and sources of randomness; it writes and runs nothing that `rights` does not grant. A system
//! call filter: no sockets, no new processes, no signals to others, no tracing, no change of
//! owners, modes or times of files.
//!
//! No capabilities, no new privileges. Limits on threads, processor time, file size, memory, open
//! files, the time of a call and the size of a result. Processes and memory are counted together by
//! a control group where one can be created: of the second version if it is delegated, else of the
//! first; otherwise resource limits count them, and `prowess doctor` and each result report which.
//! It has no open file and no environment variable of the host; it ends with the host, and its
//! descendants end with it.
//!
//! Its output is shown with control characters escaped, at most one line per second after the first
//! hundred. Where the system offers namespaces (`prowess doctor` reports it), it sees no other
//! process, and mounts, IPC and host names are separate.
//!
//! ## Nothing of a repository runs
//!
//! Skills are fetched by the git program with a configuration of our own above the user's: one
//! protocol for each call, no hooks, filters, submodules, prompts, proxies or redirects; it
//! connects to exactly the addresses that were checked (git 2.37 or later), and the commit is
//! packed as it was committed. The user's configuration is still read, because credential helpers
//! are in it.
//!
//! ## A proposal changes no skill (`propose_skill_update`, `prowess-governance`)
//!
//! It is offered only where `proposals.directory` is set. A model then creates files in that
//! directory, of limited size and number, and replaces none; its text is in blocks of code without
//! invisible characters, so a reviewer sees what would be accepted.
//!
//! ## A command in a sandbox reaches nothing of the host (`sandbox_execute`, `prowess-shell`)
//!
//! It runs in an interpreter inside the host's process, without a program, file, environment
//! variable or network of the host; `/proc`, `/etc` and `/bin` have made-up content. Sandboxes of
//! sessions are separate. Time, steps, output, depth, and the number and size of files are limited;
//! after a limit the session goes on. A change of a skill's file is seen by that session's commands
//! alone: other tools read the package. Within one sandbox, skills are not protected from each
//! other's scripts.
//!
//! ## A hook of a skill never widens a right
//!
//! It runs as a script does, if the operator says so (`tools.hooks`), and may only refuse a call of
//! a tool, never permit one. A hook of an untrusted source needs the same approval as a script, for
//! the load of its skill; it is bound to the package, which is compared again at each run. A
//! `PreToolUse` that cannot run refuses the call. No hook keeps a skill from being unloaded.
//!
//! ## A script of an untrusted source runs only after a person has approved it
//!
//! The approval is bound to the skill, the arguments and the digest of the whole package, and no
//! skill, no `allowed-tools`, no grant of the operator and no other approval replaces it;
//! `scripts.trust` alone says which sources need none. What runs is a copy, each file of which was
//! compared with the approved package after it was read, so that a change in between is found.
//!
//! ## A stage that was started ahead has no right of any script
//!
//! After a script, `prowess serve` starts the process for the next one: it holds no file, no
//! variable and no output of a script, waits in its namespaces with the limits of the server, and
//! builds and checks every layer when a script is known. It ends with the server, and serves one
//! script.
//!
//! It is not used if a new process would have another user, capability, limit, control group,
//! namespace, mount or program file; only rules of Landlock that the host puts on itself are not
//! visible, so a host does that before its first script.
//!
//! ## A script's own files are limited
//!
//! So is the size of each file. They are counted while it runs, so for a moment there may be more;
//! a file that was removed and is still open is not counted, nor are directories that the operator
//! lets it write to.
//!
//! ## A script reaches granted hosts alone (`scripts.network`)
//!
//! It runs in a network of its own, whose only way out is a proxy in the host's process; where
//! there are no namespaces for that, it does not run (`sandbox-unavailable`). The proxy resolves
//! names, and refuses addresses of private networks, of this machine and of cloud metadata, unless
//! the operator lists the host under `private_hosts`; it connects to exactly the addresses that it
//! checked. A tunnel (`CONNECT`) has to begin with TLS for the granted host: another name, a hidden
//! one (ECH) or another protocol ends it.
//!
//! Connections, bytes and idle time are limited. Each refusal is in the result (`network.refused`),
//! in the audit (`script_host_refused`) and a trace, with a code.
//!
//! ## A script does not hold a secret that is granted to a host (`scripts.secrets`)
//!
//! A grant is bound to the digests of packages, and each file that the script can use is compared
//! with that package. The script asks for `http://HOST`; the proxy adds the header and continues by
//! TLS, with a certificate that it checks. The secret is in no variable, argument, file, memory or
//! output of the script's processes: a test searches all of them. It is replaced in the server's
//! answer where it occurs as it is.
//!
//! A secret that is granted as a variable is held by the script, and is replaced in its output, the
//! audit and errors.
//!
//! ## Credentials stay with their server
//!
//! They come from variables, `.netrc` or a command, never from a lock or a URL, and are sent to the
//! origin that they belong to: not after a redirect to another one, and not to a server of tokens
//! that a registry names. Signed URLs and tokens are not shown.
//!
//! ## A server on the network answers its clients alone
//!
//! `prowess serve --http` accepts only the hosts and origins that it knows, so that no page reaches
//! it by another name, and an address that other machines reach needs a token or an authorization
//! server. A token of the latter has to be signed by a key that its issuer publishes, with RSA,
//! ECDSA or Ed25519, and be for the URL of this server, now, with its scopes; what a token says
//! about keys or algorithms changes nothing. A session belongs to the user who opened it.
//!
//! Bodies, headers, their time, connections and sessions have limits, the last two also for each
//! client. A request whose length is ambiguous is refused, or the connection ends after it, so that
//! a proxy and the server cannot see two different requests in it; lines that end without a
//! carriage return are read, as RFC 9112 permits.
//!
//! ## A refused call changes nothing
//!
//! Loading is atomic, and a refused call leaves the session unchanged.
//!
//! ## Every tool call passes one gate
//!
//! A call by whatever surface, name or spelling gets the same decision. A shell command is approved
//! in advance only if each of its commands is literal words that a granted pattern covers; anything
//! else asks. A skill of an untrusted layer grants nothing.
//!
//! ## An approval is used as it was given
//!
//! It is bound to the tool, its arguments or pattern, the digest of the skill's package and the
//! tenant, and one for a single call is spent once, also if several hosts try. A model cannot grant
//! it.
//!
//! ## A session id cannot be guessed
//!
//! It has 128 random bits of the system, unless the host chooses it, and logs and traces show a
//! part of its digest instead. Sessions in memory are found by the hash of the id; in a database a
//! query takes far longer than the comparison of two ids, so that neither lookup shows a part of
//! another id by its time (`cargo bench -p benches --bench sessions` compares an id that is valid
//! but for its end with an unrelated one).
//!
//! ## A changed audit log is detected
//!
//! Each entry has the hash of the one before. With access to the file an attacker can compute every
//! hash again, which only a head that is kept elsewhere shows (`prowess audit verify --head`).
//!
//! # Not promised
//!
//! ## That a model resists bad instructions
//!
//! A loaded skill gives instructions to the model in plain text. Its text is delimited, not judged.
//!
//! ## That look-alikes can be distinguished by eye
//!
//! Letters of two alphabets may look the same; ids are compared by their characters.
//!
//! ## That bodies and files are shown byte for byte
//!
//! Hidden characters are removed, and a tag that looks like the wrapper's is escaped. The digest in
//! the receipt is that of the file.
//!
//! ## That cached data is authentic
//!
//! Names and descriptions of unchanged files come from the user's cache, which only the user can
//! write to. Bodies and digests never do.
//!
//! ## That an approval over the protocol comes from the operator
//!
//! A call that has to be approved may be a question to the user of the client, whose answer the
//! client sends; a client that answers by itself approves. `--approvals host` keeps decisions to
//! `prowess approvals`, which is the default for an address that other machines can reach.
//!
//! ## That clients behind one proxy are separate
//!
//! Limits by address count them together. With an authorization server, sessions are limited by
//! user.
//!
//! ## That a linked source is contained
//!
//! A crate that you link runs with your rights.
//!
//! ## That a plugin in the host's process is contained
//!
//! It can do what the host can. Its panics are errors of one call; an abort, an exit, a stack
//! overflow or a wild pointer ends the host. Use `isolation: process` for plugins that should not
//! have this power.
//!
//! ## That a plugin's own process is fully isolated
//!
//! It shares the kernel. Without namespaces it also shares the file system's tree: it can query
//! whether a file exists and its size, also for files that it cannot open, and with read access to
//! a directory it can watch others for changes. With them, its root directory has its grants and
//! the system's libraries alone. A bug in the kernel is a way out. With `sandbox: off` it has every
//! right of the host's user except new privileges.
//!
//! Without namespaces, a plugin that may `run` programs is refused unless the operator sets
//! `sandbox: floor`, where programs that it starts may outlive it. As root the process keeps user 0
//! for files, without any capability.
//!
//! ## That a granted host gets only what it should
//!
//! A script can send what it may read to a granted host, and use a secret for any request to its
//! host. The proxy does not look into TLS: a server behind a granted name may pass requests on to
//! others (domain fronting). A server that returns a secret in another encoding reveals it to the
//! script, as a script that holds one can print it in another encoding.
//!
//! ## That `prowess plugin check` detects malice
//!
//! It detects mistakes. It runs the plugin's code in processes that are confined as a plugin's own
//! process is, with the rights that you gave the plugin; one rule lets it start processes, which
//! are confined as well.
//!
//! ## That changes in a trusted folder were reviewed
//!
//! Trust applies to everyone who may write there.
//!
//! ## That a model forgets
//!
//! Revoked trust takes effect from the next turn: nothing of the folder is offered, loaded, read or
//! put into instructions any more. Text that is already part of a conversation stays in it.
//!
//! ## That a trusted layer is harmless
//!
//! The operator's trust is not questioned.
//!
//! ## That paths are secret
//!
//! The catalog shows absolute paths unless the policy hides them.
//!
//! ## That a token estimate is exact
//!
//! Budgets are counted in the counter's tokens; by default these are estimates, and are marked as
//! such.
