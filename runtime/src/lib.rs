//! The runtime of Kubeloom.
