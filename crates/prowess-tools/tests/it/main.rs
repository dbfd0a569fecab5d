//! The toolbox and the skill tools, through the public interface alone.

mod arguments;
mod bodies;
mod definitions;
mod dispatch;
mod fixture;
mod gate;
mod load;
mod paths;
mod policy;
mod read;
mod surface;
mod unload;
