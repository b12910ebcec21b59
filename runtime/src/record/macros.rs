//! The macros that emitted code is made of.

/// Writes what stands behind a struct: its [`Table`](crate::record::Table) and [`Record`](crate::record::Record),
/// [`Value`](crate::record::Value), [`Wire`](crate::wire::Wire), `Debug`, `PartialEq` and serde's traits.
///
/// A line per field: index, field, JSON name, protobuf tag path, flags. `= "apiVersion" "kind"` marks a root kind; a last
/// line `rest field;` names the map that takes unknown fields. Behind it stand the [`Rule`](crate::record::Rule)s of the
/// schema, `check "name" 0 MinLength(1);` each: field, how many lists and maps to go into, check.
///
/// ```
/// use kubeloom::generated::*;
///
/// /// A port.
/// #[derive(Clone, Default)]
/// pub struct Port {
///     /// `name`
///     pub name: Str,
///     /// `containerPort`
///     pub container_port: i32,
/// }
/// record! { Port {
///     0 name "name" [1] OMIT;
///     1 container_port "containerPort" [3] KEEP;
/// } }
///
/// let port: Port = serde_json::from_str(r#"{"containerPort": 80, "later": true}"#)?;
/// assert_eq!(serde_json::to_string(&port)?, r#"{"containerPort":80}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[macro_export]
macro_rules! record {
    ($name:ident { $($fields:tt)* }) => {
        $crate::record! { @ $name (::core::option::Option::None) { $($fields)* } }
    };
    ($name:ident = $api_version:literal $kind:literal { $($fields:tt)* }) => {
        $crate::record! { @ $name (::core::option::Option::Some($crate::record::TypeMeta {
            api_version: $api_version,
            kind: $kind,
            list: false,
        })) { $($fields)* } }
    };
    (@ $name:ident ($meta:expr) {
        $($index:literal $field:ident $json:literal [$($tag:literal),*] $flags:expr;)*
        $(rest $rest:ident;)?
        $(check $at:literal $steps:literal $check:ident $(($($argument:expr),*))?;)*
    }) => {
        impl $crate::record::Record for $name {
            fn table(&self) -> &'static $crate::record::Table {
                static TABLE: $crate::record::Table = $crate::record::Table::new(
                    stringify!($name),
                    $meta,
                    &[$($crate::record::Field::new($json, &[$($tag),*], $flags)),*],
                ).with_rules(&[$(
                    $crate::record::Rule::new($at, $steps, $crate::record::Check::$check $(($($argument),*))?)
                ),*]);
                &TABLE
            }
            fn slot(&mut self, index: usize) -> $crate::record::Slot<'_> {
                match index {
                    $($index => $crate::record::Value::slot(&mut self.$field),)*
                    _ => $crate::record::Slot::Ignored,
                }
            }
            fn view(&self, index: usize) -> $crate::record::View<'_> {
                match index {
                    $($index => $crate::record::Value::view(&self.$field),)*
                    _ => $crate::record::View::Absent,
                }
            }
            $(
                fn rest(&self) -> ::core::option::Option<&$crate::value::Map<$crate::value::RawJson>> {
                    ::core::option::Option::Some(&self.$rest)
                }
                fn rest_mut(&mut self) -> ::core::option::Option<&mut $crate::value::Map<$crate::value::RawJson>> {
                    ::core::option::Option::Some(&mut self.$rest)
                }
            )?
        }
        impl $crate::record::Value for $name {
            fn slot(&mut self) -> $crate::record::Slot<'_> {
                $crate::record::Slot::Record(self)
            }
            fn view(&self) -> $crate::record::View<'_> {
                $crate::record::View::Record(self)
            }
        }
        impl ::core::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                $crate::record::debug(self, f)
            }
        }
        impl ::core::cmp::PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                $crate::record::equal(self, other)
            }
        }
        $crate::record! { @wire $name }
        $crate::record_schema! { $name }
    };
    (@wire $name:ident) => {
        impl $crate::wire::Wire for $name {
            fn decode(format: $crate::wire::Format, body: &[u8]) -> ::core::result::Result<Self, $crate::wire::DecodeError> {
                let mut value = <Self as ::core::default::Default>::default();
                $crate::wire::decode(&mut value, format, body)?;
                ::core::result::Result::Ok(value)
            }
            fn encode(&self, format: $crate::wire::Format) -> ::core::result::Result<::std::vec::Vec<u8>, $crate::wire::EncodeError> {
                $crate::wire::encode(self, format)
            }
        }
        impl $crate::serde::Serialize for $name {
            fn serialize<S: $crate::serde::Serializer>(&self, serializer: S) -> ::core::result::Result<S::Ok, S::Error> {
                $crate::wire::serialize(self, serializer)
            }
        }
        impl<'de> $crate::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::serde::Deserializer<'de>>(deserializer: D) -> ::core::result::Result<Self, D::Error> {
                let mut value = <Self as ::core::default::Default>::default();
                $crate::wire::deserialize(&mut value, deserializer)?;
                ::core::result::Result::Ok(value)
            }
        }
    };
}
