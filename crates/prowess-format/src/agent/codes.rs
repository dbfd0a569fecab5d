//! The codes of findings about the manifest of an agent.

crate::declare_codes! {
    /// Error: the manifest of an agent has no `id`, or no mapping `agent`.
    AGENT_FIELD_MISSING = "agent-field-missing";
    /// Error: a field of the manifest has another type than it must have, or an unknown value.
    AGENT_FIELD_INVALID = "agent-field-invalid";
    /// Warning: a list of the manifest has an item twice; the second one is ignored.
    AGENT_ITEM_REPEATED = "agent-item-repeated";
    /// Warning: neither the runtime nor its host has a tool of a name under `uses_tools`.
    AGENT_TOOL_UNKNOWN = "agent-tool-unknown";
    /// Warning: there is no skill of a name under `uses_skills`.
    AGENT_SKILL_UNKNOWN = "agent-skill-unknown";
    /// Warning: the host starts nothing of a name under `depends_on`.
    AGENT_SERVICE_UNKNOWN = "agent-service-unknown";
}
