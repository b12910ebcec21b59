//! Values without a table: types of users that implement serde by themselves.

use std::fmt;

use crate::wire::{DecodeError, EncodeError};

/// A value that no [`Table`](super::Table) describes, and that is read and written as JSON text.
///
/// Every encoding that JSON can be turned into takes it; protobuf refuses it. [`serde_object!`](crate::serde_object!)
/// implements it for a kind, which then is an item of lists and an object of watches as any generated kind is.
pub trait Foreign: fmt::Debug + Send + Sync + 'static {
    /// Replaces the value with the one that `json` holds, which is one JSON value.
    ///
    /// # Errors
    /// A value of another shape.
    fn read_json(&mut self, json: &str) -> Result<(), DecodeError>;

    /// The value as one JSON value.
    ///
    /// # Errors
    /// A value that JSON cannot hold.
    fn write_json(&self) -> Result<String, EncodeError>;
}

/// Makes kinds of types that implement serde: their [`Wire`](crate::wire::Wire), [`Value`](crate::record::Value) and
/// [`Foreign`](crate::record::Foreign), so that they are read, written, listed and watched as generated kinds are.
///
/// The type implements `Serialize`, `Deserialize`, `Default`, `Clone` and `Debug`, and
/// [`Resource`](crate::resource::Resource) beside the macro. It need not have fields for `apiVersion` and `kind`, which
/// are written from its constants, and must not insist on them: the objects of a list may come without. `Default` is
/// what a place in a list holds before its object is read.
///
/// ```
/// use kubeloom::meta::ObjectMeta;
/// use kubeloom::resource::{Namespaced, Resource, verb};
/// use kubeloom::{Api, RestClient, offers, serde_object};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
/// struct Website {
///     metadata: ObjectMeta,
///     spec: WebsiteSpec,
/// }
///
/// #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
/// struct WebsiteSpec {
///     domain: String,
///     #[serde(default, skip_serializing_if = "Option::is_none")]
///     replicas: Option<i32>,
/// }
///
/// impl Resource for Website {
///     type Scope = Namespaced;
///     const GROUP: &'static str = "example.com";
///     const VERSION: &'static str = "v1";
///     const API_VERSION: &'static str = "example.com/v1";
///     const KIND: &'static str = "Website";
///     const PLURAL: &'static str = "websites";
///     const SINGULAR: &'static str = "website";
///     fn metadata(&self) -> &ObjectMeta {
///         &self.metadata
///     }
///     fn metadata_mut(&mut self) -> &mut ObjectMeta {
///         &mut self.metadata
///     }
/// }
/// serde_object! { Website }
/// offers! { Website { verb::Create, verb::Get, verb::List, verb::Watch, verb::Update, verb::Delete } }
///
/// async fn domains(client: &RestClient) -> Result<Vec<String>, kubeloom::Error> {
///     let websites: Api<Website> = client.namespaced("web");
///     let list = websites.list().labels("tier=front").await?;
///     Ok(list.into_iter().map(|website| website.spec.domain).collect())
/// }
/// ```
#[macro_export]
macro_rules! serde_object {
    ($($kind:ty),+ $(,)?) => { $(
        impl $crate::record::Value for $kind {
            fn slot(&mut self) -> $crate::record::Slot<'_> {
                $crate::record::Slot::Foreign(self)
            }
            fn view(&self) -> $crate::record::View<'_> {
                $crate::record::View::Foreign(self)
            }
        }
        impl $crate::record::Foreign for $kind {
            fn read_json(&mut self, json: &str) -> ::core::result::Result<(), $crate::wire::DecodeError> {
                *self = $crate::wire::decode_serde($crate::wire::Format::Json, json.as_bytes())?;
                ::core::result::Result::Ok(())
            }
            fn write_json(&self) -> ::core::result::Result<::std::string::String, $crate::wire::EncodeError> {
                let json = $crate::wire::encode_kind(self, $crate::wire::Format::Json)?;
                ::std::string::String::from_utf8(json).map_err($crate::wire::EncodeError::new)
            }
        }
        impl $crate::wire::Wire for $kind {
            fn decode(
                format: $crate::wire::Format,
                body: &[u8],
            ) -> ::core::result::Result<Self, $crate::wire::DecodeError> {
                $crate::wire::decode_serde(format, body)
            }
            fn encode(
                &self,
                format: $crate::wire::Format,
            ) -> ::core::result::Result<::std::vec::Vec<u8>, $crate::wire::EncodeError> {
                $crate::wire::encode_kind(self, format)
            }
        }
    )+ };
}
