//! Harnesses.

pub mod commands;
pub mod facts;
