//! The generator of Kubeloom.
