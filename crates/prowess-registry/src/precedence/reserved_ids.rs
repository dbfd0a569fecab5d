//! Ids that are reserved for trusted skills, although no offered skill has them.

use prowess_core::{Record, Trust};

use super::Resolution;

impl Resolution<'_> {
    /// Returns the reason why this id is reserved, so that an untrusted record cannot have it.
    pub(super) fn reservation_of(&self, record: Record<'_>, id: &str) -> Option<String> {
        let by_an_alias = || self.by_an_alias(record, id);
        self.by_a_skill(id).or_else(by_an_alias).or_else(|| self.by_a_qualifier(id))
    }

    fn by_a_skill(&self, id: &str) -> Option<String> {
        let holder = self.builder.record(*self.reserved_ids.get(id)?);
        Some(format!(
            "`{}` of layer `{}` has its id and is trusted, though it is not offered",
            holder.location(),
            holder.layer().name
        ))
    }

    /// An alias of the record itself does not reserve the id.
    fn by_an_alias(&self, record: Record<'_>, id: &str) -> Option<String> {
        let (alias, meant) = self.input.rules.aliases.iter().find(|(alias, _)| **alias == *id)?;
        let is_own = meant.split_once(':').is_some_and(|(of, id)| {
            id == record.id() && (*record.layer().name == *of || record.source() == of)
        });
        if is_own { None } else { Some(format!("the alias `{alias}` stands for `{meant}`")) }
    }

    /// Checks the id against qualified ids, which an id from a directory name may equal.
    fn by_a_qualifier(&self, id: &str) -> Option<String> {
        let (qualifier, _) = id.split_once(':')?;
        let layers = &self.input.rules.layers;
        let mut sources = self.input.scans.sources.iter().map(|of| (of.source.name(), of.layer));
        let is_layers = layers.iter().any(|layer| *layer.name == *qualifier && is_trusted(layer));
        let is_sources =
            sources.any(|(name, layer)| name == qualifier && is_trusted(&layers[layer]));
        (is_layers || is_sources).then(|| {
            format!("`{qualifier}:` is how the skills of `{qualifier}` are meant, which is trusted")
        })
    }
}

fn is_trusted(layer: &prowess_core::Layer) -> bool {
    layer.trust != Trust::Untrusted
}
