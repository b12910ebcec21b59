//! [`ListWatch`] of resources that are known by name: as JSON objects, and as metadata alone.

use std::fmt;

use futures_core::future::BoxFuture;

use super::list_watch::{Changes, ListEnd, ListWatch};
use crate::dynamic::{DynamicApi, DynamicObject, MetadataApi};
use crate::error::Error;
use crate::meta::{Page, PartialObjectMetadata};
use crate::rest::{GroupVersionResource, List, ListOptions, Watch, WatchOptions};
use crate::wire::Wire;

/// Selectors of a list and of the watch that follows it.
#[derive(Clone, Debug, Default)]
struct Selectors {
    labels: String,
    fields: String,
}

/// Writes a source over a handle: its struct, its selectors, and list and watch.
macro_rules! source {
    ($(#[$meta:meta])* $name:ident($api:ident) -> $object:ty) => {
        $(#[$meta])*
        #[derive(Clone)]
        pub struct $name {
            api: $api,
            selectors: Selectors,
        }

        impl $name {
            /// What the handle is about.
            pub fn new(api: &$api) -> Self {
                Self { api: api.clone(), selectors: Selectors::default() }
            }

            /// Only objects with matching labels, such as `app=web,tier!=cache`.
            #[must_use]
            pub fn labels(mut self, selector: impl Into<String>) -> Self {
                self.selectors.labels = selector.into();
                self
            }

            /// Only objects with matching fields, such as `metadata.name=web-0`.
            #[must_use]
            pub fn fields(mut self, selector: impl Into<String>) -> Self {
                self.selectors.fields = selector.into();
                self
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name))
                    .field("target", self.api.target())
                    .field("selectors", &self.selectors)
                    .finish()
            }
        }

        impl ListWatch for $name {
            type Object = $object;

            fn resource(&self) -> GroupVersionResource {
                self.api.target().resource.clone()
            }

            fn list<'a>(
                &'a self,
                options: ListOptions,
                take: &'a mut (dyn FnMut($object) + Send),
            ) -> BoxFuture<'a, Result<ListEnd, Error>> {
                Box::pin(list(self.api.list(), &self.selectors, options, take))
            }

            fn watch(&self, options: WatchOptions) -> BoxFuture<'_, Result<Changes<$object>, Error>> {
                Box::pin(watch(self.api.watch(), &self.selectors, options))
            }
        }
    };
}

source! {
    /// Lists and watches any resource as JSON objects. An object that cannot be read fails its list: JSON objects
    /// without a readable metadata are hardly to be expected.
    DynamicListWatch(DynamicApi) -> DynamicObject
}

source! {
    /// Lists and watches the metadata of any resource.
    MetadataListWatch(MetadataApi) -> PartialObjectMetadata
}

async fn list<L: Page>(
    request: List<L>,
    selectors: &Selectors,
    mut options: ListOptions,
    take: &mut (dyn FnMut(L::Item) + Send),
) -> Result<ListEnd, Error> {
    options.labels.clone_from(&selectors.labels);
    options.fields.clone_from(&selectors.fields);
    let mut page = request.options(options).await?;
    std::mem::take(page.page_items_mut()).into_iter().for_each(take);
    Ok(ListEnd {
        metadata: std::mem::take(page.list_meta_mut()),
        unreadable: Vec::new(),
    })
}

async fn watch<K: Wire>(
    request: Watch<K>,
    selectors: &Selectors,
    mut options: WatchOptions,
) -> Result<Changes<K>, Error> {
    options.labels.clone_from(&selectors.labels);
    options.fields.clone_from(&selectors.fields);
    let changes: Changes<K> = Box::pin(request.options(options).await?);
    Ok(changes)
}
