//! Harnesses.
