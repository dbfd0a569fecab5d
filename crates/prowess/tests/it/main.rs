//! Whole conversations through the facade, with real files and a scripted model.

mod audience;
mod cases;
mod codes;
mod collector;
mod config;
mod conversation;
mod default_skills;
mod dynamic;
mod facts;
mod gate;
mod handles;
mod hot_equals_cold;
mod limits;
mod load_rules;
mod on_change;
mod presets;
mod refresh;
mod roots;
mod scripted;
mod search;
mod second_start;
mod shared_files;
mod sources;
mod surfaces;
mod traces;
mod trust;
