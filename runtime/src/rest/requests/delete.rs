//! `delete`, `deletecollection` and eviction.

use std::marker::PhantomData;
use std::time::Duration;

use super::{ListOptions, request};
use crate::error::Error;
use crate::meta::{DeleteOptions, ObjectMeta, Status};
use crate::rest::Call;
use crate::rest::failure::read_status;
use crate::value::Str;
use crate::wire::{DecodeError, EncodeError, Format, Wire};

/// What becomes of the objects that an object owns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Propagation {
    /// They stay.
    Orphan,
    /// They go later.
    Background,
    /// They go first.
    Foreground,
}

impl Propagation {
    /// The name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Orphan => "Orphan",
            Self::Background => "Background",
            Self::Foreground => "Foreground",
        }
    }
}

/// What servers answer to a deletion.
#[derive(Clone, Debug, PartialEq)]
pub enum Deletion<O> {
    /// The object as it was last, or as it is while finalizers or a grace period keep it.
    Object(O),
    /// It is gone.
    Status(Status),
}

impl<O> Deletion<O> {
    /// The object, if the server answered with it.
    pub fn object(self) -> Option<O> {
        match self {
            Self::Object(object) => Some(object),
            Self::Status(_) => None,
        }
    }
}

impl<O: Wire> Wire for Deletion<O> {
    fn decode(format: Format, body: &[u8]) -> Result<Self, DecodeError> {
        match read_status(format, body) {
            Some(status) => Ok(Self::Status(status)),
            None => O::decode(format, body).map(Self::Object),
        }
    }

    fn encode(&self, format: Format) -> Result<Vec<u8>, EncodeError> {
        match self {
            Self::Object(object) => object.encode(format),
            Self::Status(status) => status.encode(format),
        }
    }
}

/// Chained options of a deletion; the struct has a field `options` with [`DeleteOptions`] under it.
macro_rules! delete_options {
    ($($path:tt)+) => {
        /// How long the object may take to end; zero is at once. Whole seconds, rounded down.
        pub fn grace_period(mut self, period: Duration) -> Self {
            self$($path)+.grace_period_seconds = Some(i64::try_from(period.as_secs()).unwrap_or(i64::MAX));
            self
        }

        /// What becomes of the objects that it owns.
        pub fn propagation(mut self, propagation: Propagation) -> Self {
            self$($path)+.propagation_policy = Some(propagation.as_str().into());
            self
        }

        /// Whether the server does all but deleting.
        pub fn dry_run(mut self) -> Self {
            self$($path)+.dry_run = vec!["All".into()];
            self
        }

        /// Fails with a conflict unless the object has this UID.
        pub fn uid(mut self, uid: impl Into<Str>) -> Self {
            self$($path)+.preconditions.get_or_insert_default().uid = Some(uid.into());
            self
        }

        /// Fails with a conflict unless the object has this resourceVersion.
        pub fn resource_version(mut self, version: impl Into<Str>) -> Self {
            self$($path)+.preconditions.get_or_insert_default().resource_version = Some(version.into());
            self
        }
    };
}

/// Deletes one object.
#[derive(Debug)]
#[must_use = "requests do nothing unless awaited"]
pub struct Delete<O> {
    call: Call,
    options: DeleteOptions,
    output: PhantomData<fn() -> O>,
}

impl<O: Wire> Delete<O> {
    /// The request of a call.
    pub fn new(call: Call) -> Self {
        Self {
            call,
            options: DeleteOptions::default(),
            output: PhantomData,
        }
    }

    delete_options!(.options);

    async fn run(self) -> Result<Deletion<O>, Error> {
        with_options(self.call, &self.options).fetch().await
    }
}

request!(Delete<O: Wire>, DeleteOptions, Deletion<O>);

/// Deletes the objects of a collection that match the selectors; without selectors, all of them.
#[derive(Debug)]
#[must_use = "requests do nothing unless awaited"]
pub struct DeleteCollection<L> {
    call: Call,
    options: (DeleteOptions, ListOptions),
    output: PhantomData<fn() -> L>,
}

impl<L: Wire> DeleteCollection<L> {
    /// The request of a call.
    pub fn new(call: Call) -> Self {
        Self {
            call,
            options: Default::default(),
            output: PhantomData,
        }
    }

    delete_options!(.options.0);

    /// A label selector.
    pub fn labels(mut self, selector: impl Into<String>) -> Self {
        self.options.1.labels = selector.into();
        self
    }

    /// A field selector.
    pub fn fields(mut self, selector: impl Into<String>) -> Self {
        self.options.1.fields = selector.into();
        self
    }

    async fn run(mut self) -> Result<Deletion<L>, Error> {
        self.options.1.write(self.call.query());
        with_options(self.call, &self.options.0).fetch().await
    }
}

request!(DeleteCollection<L: Wire>, (DeleteOptions, ListOptions), Deletion<L>);

fn with_options(call: Call, options: &DeleteOptions) -> Call {
    if *options == DeleteOptions::default() {
        call
    } else {
        call.object(options)
    }
}

/// Evicts a pod: deletes it unless that would break its disruption budget, which is answered with 429.
#[derive(Debug)]
#[must_use = "requests do nothing unless awaited"]
pub struct Evict<O> {
    call: Call,
    api_version: &'static str,
    metadata: ObjectMeta,
    options: DeleteOptions,
    output: PhantomData<fn() -> O>,
}

impl<O: Wire> Evict<O> {
    /// The request of a call; the body's `apiVersion` is that of the server's eviction type.
    pub fn new(call: Call, api_version: &'static str, metadata: ObjectMeta) -> Self {
        Self {
            call,
            api_version,
            metadata,
            options: DeleteOptions::default(),
            output: PhantomData,
        }
    }

    delete_options!(.options);

    async fn run(self) -> Result<O, Error> {
        let body = serde_json::json!({
            "apiVersion": self.api_version,
            "kind": "Eviction",
            "metadata": self.metadata,
            "deleteOptions": self.options,
        });
        let body = serde_json::to_vec(&body).map_err(EncodeError::new);
        self.call.body(Format::Json.content_type(), body).fetch().await
    }
}

request!(Evict<O: Wire>, DeleteOptions, O);
