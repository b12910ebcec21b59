//! The runtime of Kubeloom.

pub mod value;
