//! The generator of Kubeloom.

pub mod facts;
