//! The toolbox and the skill tools, through the public interface alone.

mod answers;
mod arguments;
mod audit;
mod bodies;
mod definitions;
mod dispatch;
mod fixture;
mod foreign;
mod functions;
mod gate;
mod hooks;
mod hostile;
mod load;
mod naming;
mod operations;
mod paths;
mod policy;
mod read;
mod scripts;
mod surfaces;
mod toolbox;
mod unload;
