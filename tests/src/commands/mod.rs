//! The commands of `kubeloom-tests`, one module each.

pub mod facts;
