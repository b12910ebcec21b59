//! The commands of `kubeloom-tests`, one module each.

pub mod apiserver;
<<<<<<< HEAD
pub mod client_go;
=======
pub mod compare;
>>>>>>> 8cd2673 (tests: comparison programs, corpus and the command compare types)
pub mod facts;
pub mod features;
pub mod tables;
