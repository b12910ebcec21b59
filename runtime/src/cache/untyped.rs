//! [`ListWatch`] of resources that are known by name: as JSON objects, and as metadata alone.

use std::fmt;

use futures_core::future::BoxFuture;

use super::list_watch::{Changes, ListEnd, ListWatch};
use super::page::{PageEnd, read_page};
use super::selection::{Selectors, selecting};
use crate::dynamic::{DynamicApi, DynamicObject, MetadataApi};
use crate::error::Error;
use crate::meta::PartialObjectMetadata;
use crate::rest::{Call, GroupVersionResource, ListOptions, WatchOptions};

/// Writes a source over a handle: its struct, its selectors, and list and watch.
macro_rules! source {
    ($(#[$meta:meta])* $name:ident($api:ident) -> $object:ty, $list:ident) => {
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

            selecting!();
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
                let (call, _) = self.api.list().into_parts();
                Box::pin($list(call, self.selectors.list(options), take))
            }

            fn watch(&self, options: WatchOptions) -> BoxFuture<'_, Result<Changes<$object>, Error>> {
                let watch = self.api.watch().options(self.selectors.watch(options));
                Box::pin(async move {
                    let changes: Changes<$object> = Box::pin(watch.await?);
                    Ok(changes)
                })
            }
        }
    };
}

source! {
    /// Lists and watches any resource as JSON objects. An object that cannot be read is left out and reported.
    DynamicListWatch(DynamicApi) -> DynamicObject, list_objects
}

source! {
    /// Lists and watches the metadata of any resource. An object that cannot be read is left out and reported.
    MetadataListWatch(MetadataApi) -> PartialObjectMetadata, list_metadata
}

async fn list_metadata(
    call: Call,
    options: ListOptions,
    take: &mut (dyn FnMut(PartialObjectMetadata) + Send),
) -> Result<ListEnd, Error> {
    read_page(call, options, take).await.map(|page| page.end)
}

/// The objects of a built-in list do not say what they are; the list does, and may do so behind them: they are handed
/// on when all of the page is there.
async fn list_objects(
    call: Call,
    options: ListOptions,
    take: &mut (dyn FnMut(DynamicObject) + Send),
) -> Result<ListEnd, Error> {
    let mut objects = Vec::new();
    let page = read_page(call, options, &mut |object: DynamicObject| objects.push(object)).await?;
    let PageEnd { end, list } = page;
    for mut object in objects {
        object.be_item_of(&list.0, &list.1);
        take(object);
    }
    Ok(end)
}
