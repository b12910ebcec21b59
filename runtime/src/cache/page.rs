//! Reads a page of a list as it arrives, with the objects that cannot be read left out.

use super::list_watch::{ListEnd, Skipped};
use super::object::ObjectKey;
use crate::error::{Error, ErrorKind};
use crate::record::Value;
use crate::rest::{Call, ListOptions};
use crate::transport::{TransportError, TransportErrorKind};
use crate::value::Str;
use crate::wire::{DecodeError, Format, ListError, ListReader, Mode};

/// What a page says besides its objects, and what they are.
pub(super) struct PageEnd {
    pub(super) end: ListEnd,
    /// `apiVersion` and `kind` of the list.
    pub(super) list: (Str, Str),
}

/// Hands objects to `take` as they arrive.
pub(super) async fn read_page<K: Value + Default>(
    mut call: Call,
    options: ListOptions,
    take: &mut (dyn FnMut(K) + Send),
) -> Result<PageEnd, Error> {
    options.write(call.query());
    let context = call.context();
    let fail = |kind| Error::new(context.clone(), kind);
    let mut response = call.open().await?;
    let format = response
        .headers
        .get("content-type")
        .and_then(Format::from_content_type);
    let mut reader = ListReader::<K>::new(format.unwrap_or_else(|| call.format()), Mode::Lenient);
    let (mut bytes, limit) = (0_usize, call.client().options().max_body);
    while let Some(chunk) = response.body.chunk().await {
        let chunk = chunk.map_err(|error| fail(ErrorKind::Transport(error)))?;
        bytes = bytes.saturating_add(chunk.len());
        if bytes > limit {
            let text = format!("the list is longer than {limit} bytes");
            return Err(fail(ErrorKind::Transport(TransportError::new(
                TransportErrorKind::TooLarge,
                text,
            ))));
        }
        reader
            .push(&chunk)
            .map_err(|error| fail(ErrorKind::Decode(error)))?;
        reader.take_items().into_iter().for_each(&mut *take);
    }
    let rest = reader.finish_page().map_err(|error| match error {
        ListError::Decode(error) => fail(ErrorKind::Decode(error)),
        ListError::Status(status) => fail(ErrorKind::Api(status)),
    })?;
    if !rest.is_list {
        let text = format!("no list, but an object of kind {:?} without items", rest.kind);
        return Err(fail(ErrorKind::Decode(DecodeError::other(text))));
    }
    rest.items.into_iter().for_each(take);
    let unreadable = rest.errors.into_iter().map(|item| Skipped {
        key: ObjectKey {
            namespace: item.namespace,
            name: item.name,
        },
        reason: item.error.to_string(),
    });
    Ok(PageEnd {
        end: ListEnd {
            metadata: rest.metadata,
            unreadable: unreadable.collect(),
        },
        list: (rest.api_version, rest.kind),
    })
}
