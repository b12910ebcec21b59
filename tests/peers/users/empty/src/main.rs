//! Nothing: what a binary weighs by itself.

fn main() {}
