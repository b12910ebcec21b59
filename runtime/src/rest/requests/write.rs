//! `create` and `update`.

use std::fmt;
use std::marker::PhantomData;

use super::request;
use crate::error::Error;
use crate::rest::{Call, Query};
use crate::wire::Wire;

/// What the server does about fields it does not know (KEP-2885).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldValidation {
    /// Drops them.
    Ignore,
    /// Drops them and sends a warning.
    Warn,
    /// Refuses the object.
    Strict,
}

impl fmt::Display for FieldValidation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ignore => "Ignore",
            Self::Warn => "Warn",
            Self::Strict => "Strict",
        })
    }
}

/// Options of `create` and `update`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WriteOptions {
    /// Whether the server does all but storing.
    pub dry_run: bool,
    /// Who writes; the client's when empty.
    pub field_manager: String,
    /// What happens to unknown fields; `None` leaves it to the server.
    pub field_validation: Option<FieldValidation>,
}

impl WriteOptions {
    pub(super) fn write(&self, call: &mut Call) {
        let manager = match self.field_manager.as_str() {
            "" => call.client().options().field_manager.clone(),
            manager => manager.to_owned(),
        };
        let query: &mut Query = call.query();
        query.push_text("fieldManager", &manager);
        query.push_some("fieldValidation", self.field_validation);
        query.push_some("dryRun", self.dry_run.then_some("All"));
    }
}

macro_rules! write_request {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug)]
        #[must_use = "requests do nothing unless awaited"]
        pub struct $name<'a, I, O> {
            call: Call,
            body: &'a I,
            options: WriteOptions,
            output: PhantomData<fn() -> O>,
        }

        impl<'a, I: Wire, O: Wire> $name<'a, I, O> {
            /// The request of a call.
            pub fn new(call: Call, body: &'a I) -> Self {
                Self { call, body, options: WriteOptions::default(), output: PhantomData }
            }

            /// See [`WriteOptions::dry_run`].
            pub fn dry_run(mut self) -> Self {
                self.options.dry_run = true;
                self
            }

            /// See [`WriteOptions::field_manager`].
            pub fn manager(mut self, manager: impl Into<String>) -> Self {
                self.options.field_manager = manager.into();
                self
            }

            /// See [`WriteOptions::field_validation`].
            pub fn field_validation(mut self, validation: FieldValidation) -> Self {
                self.options.field_validation = Some(validation);
                self
            }

            fn run(self) -> impl Future<Output = Result<O, Error>> + Send + use<I, O> {
                let mut call = self.call.object(self.body);
                self.options.write(&mut call);
                call.fetch()
            }
        }

        request!($name<'a, I: Wire, O: Wire>, WriteOptions, O);
    };
}

write_request! {
    /// Creates an object.
    Create
}
write_request! {
    /// Puts a whole object in place of the old one. With a resourceVersion in its metadata the call fails with a conflict
    /// if the object has changed since.
    Update
}
