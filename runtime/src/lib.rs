//! The runtime of Kubeloom.

pub mod clock;
pub mod config;
pub mod transport;
