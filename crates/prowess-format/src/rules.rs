//! Everything that a reader chooses: how strict, which names, which fields beside the standard's.

use std::borrow::Cow;

use crate::name::{check_grammar, is_reserved, normalized};
use crate::{Extensions, Limits, NameRule, Profile, Severity, codes, slug};

/// How a `SKILL.md` is read. [`Rules::of`] gives a profile's own; a host changes what it wants:
///
/// ```
/// use prowess_format::{NameRule, Profile, Rules, parse_with};
///
/// let rules = Rules { name_rule: NameRule::Unicode, ..Rules::of(Profile::Spec) };
/// let parsed = parse_with("---\nname: café\ndescription: Brews.\n---\nGo.\n".as_bytes(), &rules);
/// assert!(parsed.document.is_some());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// How much each finding matters. By default, [`Profile::Lenient`].
    pub profile: Profile,
    /// Which names are valid. By default, those of agentskills.io.
    pub name_rule: NameRule,
    /// How long things may be. By default, what agentskills.io says.
    pub limits: Limits,
    /// The fields that are known beside the standard's. By default, none.
    pub extensions: Extensions,
}

impl Rules {
    /// The rules that [`parse`](crate::parse) uses for a profile: names of agentskills.io, and
    /// [`Extensions::standard`] under [`Profile::Extended`], of which [`Profile::ClaudeCode`] has
    /// its own.
    pub fn of(profile: Profile) -> Self {
        let extensions = match profile {
            Profile::Extended => Extensions::standard(),
            Profile::ClaudeCode => Extensions::standard().only(&["claude-code"]),
            _ => Extensions::none(),
        };
        Self { profile, extensions, ..Self::default() }
    }

    /// Returns whether a name outside the grammar is accepted with a warning, as the client guide
    /// recommends: under [`Profile::Lenient`], unless the host chose another rule of names.
    ///
    /// A name with an invisible character stays an error, and one without a letter or digit where
    /// the directory's name has none either.
    pub fn relaxes_names(&self) -> bool {
        self.name_rule == NameRule::AgentSkills
            && self.profile.severity(&codes::NAME_RELAXED).is_some()
    }

    /// Returns whether a fault costs its field and no other: under [`Profile::Lenient`].
    pub(crate) fn mends_fields(&self) -> bool {
        self.profile.severity(&codes::FIELD_UNREADABLE) != Some(Severity::Error)
    }

    /// Returns the normalised name that a file declares. Where names are relaxed, blanks around it
    /// are no part of it.
    pub(crate) fn declared<'n>(&self, name: &'n str) -> Cow<'n, str> {
        normalized(if self.relaxes_names() { name.trim() } else { name })
    }

    /// Returns the id under which a model asks for a skill with this declared name: the name, or
    /// its [`slug`] if these rules accept it although it breaks the grammar. The id of a reserved
    /// name has a word more.
    ///
    /// ```
    /// use prowess_format::{Profile, Rules};
    ///
    /// let rules = Rules::of(Profile::Lenient);
    /// assert_eq!(rules.id_of("Ahrefs Automation"), "ahrefs-automation");
    /// assert_eq!(rules.id_of("Bash"), "bash-skill");
    /// ```
    pub fn id_of<'n>(&self, name: &'n str) -> Cow<'n, str> {
        // In this order: nearly every name keeps the grammar, and is compared in no time.
        let is_own = check_grammar(name, self.name_rule).is_ok() || !self.relaxes_names();
        let id = if is_own { Cow::Borrowed(name) } else { slug(name) };
        if is_reserved(&id) || (self.name_rule != NameRule::AgentSkills && is_reserved(&slug(name)))
        {
            return Cow::Owned(format!("{id}-skill"));
        }
        id
    }

    /// Returns the id of a skill in a directory: that of its name, or of the directory's name where
    /// these rules accept a name without a letter or digit, such as `++`.
    pub fn id_in<'n>(&self, name: &'n str, directory: &'n str) -> Cow<'n, str> {
        let id = self.id_of(name);
        if id.is_empty() { self.id_of(directory) } else { id }
    }
}
