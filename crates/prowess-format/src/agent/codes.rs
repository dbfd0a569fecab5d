//! The codes of findings about the manifest of an agent.

crate::declare_codes! {
    /// Error: the manifest of an agent has no `id`, or no mapping `agent`.
    AGENT_FIELD_MISSING = "agent-field-missing";
    /// Error: a field of the manifest has another type than it must have, or an unknown value.
    AGENT_FIELD_INVALID = "agent-field-invalid";
    /// Warning: a list of the manifest has an item twice; the second one is ignored.
    AGENT_ITEM_REPEATED = "agent-item-repeated";
}
