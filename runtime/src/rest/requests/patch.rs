//! `patch` and server-side `apply`.

use std::marker::PhantomData;

use serde::Serialize;

use super::{FieldValidation, WriteOptions, request};
use crate::error::Error;
use crate::rest::Call;
use crate::wire::{EncodeError, Wire};

/// A change, in one of the forms that servers understand.
#[derive(Debug)]
pub struct PatchBody {
    content_type: &'static str,
    body: Result<Vec<u8>, EncodeError>,
}

impl PatchBody {
    fn of(content_type: &'static str, body: &impl Serialize) -> Self {
        Self {
            content_type,
            body: serde_json::to_vec(body).map_err(EncodeError::new),
        }
    }

    /// A change that cannot be sent; the call fails with `message`.
    pub(crate) fn unusable(message: &str) -> Self {
        Self {
            content_type: "application/json",
            body: Err(EncodeError::new(message)),
        }
    }

    /// Operations on paths (RFC 6902): an array of `{"op", "path", ...}`.
    pub fn json(operations: &impl Serialize) -> Self {
        Self::of("application/json-patch+json", operations)
    }

    /// A partial object whose fields replace those that are there and whose nulls remove them (RFC 7386).
    pub fn merge(partial: &impl Serialize) -> Self {
        Self::of("application/merge-patch+json", partial)
    }

    /// A partial object that is merged by the list keys of the type. Built-in kinds only.
    pub fn strategic(partial: &impl Serialize) -> Self {
        Self::of("application/strategic-merge-patch+json", partial)
    }

    /// The fields that a manager wants (server-side apply); needs a manager.
    pub fn apply(wanted: &impl Serialize) -> Self {
        Self::of("application/apply-patch+yaml", wanted)
    }
}

/// Options of `patch` and `apply`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PatchOptions {
    /// What all writes have.
    pub write: WriteOptions,
    /// Whether fields of other managers are taken over. Apply only.
    pub force: bool,
}

/// Changes an object in part.
#[derive(Debug)]
#[must_use = "requests do nothing unless awaited"]
pub struct Patch<O> {
    call: Call,
    body: PatchBody,
    options: PatchOptions,
    output: PhantomData<fn() -> O>,
}

/// Applies the fields that a manager wants: a [`Patch`] that also creates.
pub type Apply<O> = Patch<O>;

impl<O: Wire> Patch<O> {
    /// The request of a call.
    pub fn new(call: Call, body: PatchBody) -> Self {
        Self {
            call,
            body,
            options: PatchOptions::default(),
            output: PhantomData,
        }
    }

    /// See [`WriteOptions::dry_run`].
    pub fn dry_run(mut self) -> Self {
        self.options.write.dry_run = true;
        self
    }

    /// Who writes. Servers require it of an apply.
    pub fn manager(mut self, manager: impl Into<String>) -> Self {
        self.options.write.field_manager = manager.into();
        self
    }

    /// See [`WriteOptions::field_validation`].
    pub fn field_validation(mut self, validation: FieldValidation) -> Self {
        self.options.write.field_validation = Some(validation);
        self
    }

    /// Takes over fields of other managers. Apply only.
    pub fn force(mut self) -> Self {
        self.options.force = true;
        self
    }

    async fn run(self) -> Result<O, Error> {
        let mut call = self.call.body(self.body.content_type, self.body.body);
        self.options.write.write(&mut call);
        call.query().push_flag("force", self.options.force);
        call.fetch().await
    }
}

request!(Patch<O: Wire>, PatchOptions, O);

/// What can be applied: an apply configuration, or JSON with `apiVersion`, `kind` and `metadata.name`.
pub trait ApplyBody {
    /// The name of the object.
    fn name(&self) -> &str;

    /// The fields that are wanted, as JSON.
    fn body(&self) -> PatchBody;
}

impl ApplyBody for serde_json::Value {
    fn name(&self) -> &str {
        self.pointer("/metadata/name")
            .and_then(Self::as_str)
            .unwrap_or_default()
    }

    fn body(&self) -> PatchBody {
        PatchBody::apply(self)
    }
}
