//! The reference tool `skills-ref`, message for message.
