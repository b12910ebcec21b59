//! One awaitable struct per verb. Options are chained, the chain is awaited; underneath they are plain data.

mod delete;
mod logs;
mod patch;
mod read;
mod write;

pub use delete::{Delete, DeleteCollection, Deletion, Evict, Propagation};
pub use logs::{LogOptions, LogStream, Logs};
pub use patch::{Apply, ApplyBody, Patch, PatchBody, PatchOptions};
pub use read::{Get, GetOptions, List, ListOptions, ReadableList, ResourceVersionMatch, Watch, WatchOptions};
pub use write::{Create, FieldValidation, Update, WriteOptions};

/// What every request struct has: timeout, format, options as data, and `await`.
macro_rules! request {
    ($name:ident $(<$($life:lifetime,)? $($generic:ident: $bound:path),*>)?, $options:ty, $output:ty) => {
        impl $(<$($life,)? $($generic: $bound),*>)? $name $(<$($life,)? $($generic),*>)? {
            /// The longest the call may take, in place of the client's default.
            pub fn timeout(mut self, timeout: std::time::Duration) -> Self {
                self.call.set_timeout(timeout);
                self
            }

            /// The format of body and answer, in place of the client's. Resources without protobuf stay with JSON.
            pub fn format(mut self, format: crate::wire::Format) -> Self {
                self.call.set_format(format);
                self
            }

            /// All options at once, as data.
            pub fn options(mut self, options: $options) -> Self {
                self.options = options;
                self
            }
        }

        impl $(<$($life,)? $($generic: $bound),*>)? std::future::IntoFuture for $name $(<$($life,)? $($generic),*>)? {
            type Output = Result<$output, crate::error::Error>;
            type IntoFuture = futures_core::future::BoxFuture<'static, Self::Output>;

            fn into_future(self) -> Self::IntoFuture {
                Box::pin(self.run())
            }
        }
    };
}
pub(super) use request;
