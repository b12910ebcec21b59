//! The commands of `kubeloom-tests`, one module each.

pub mod apiserver;
pub mod chaos;
pub mod client_go;
pub mod compare;
pub mod corpus;
pub mod election;
pub mod facts;
pub mod features;
pub mod tables;
