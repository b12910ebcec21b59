//! Real CustomResourceDefinitions through the whole of the generator: what a folder of them becomes, whether it compiles, and
//! whether objects survive it.
//!
//! | module | what it is |
//! |---|---|
//! | [`collect`] | the definitions of folders, by project, in crates that generate as one |
//! | [`objects`] | objects that a schema allows, and what must come back of them |
//! | [`workspace`] | the crates on disk, compiled, and their programs |
//!
//! This module must not know how types are made: it sees schemas on one side and compiled programs on the other.

pub mod collect;
pub mod objects;
pub mod workspace;
