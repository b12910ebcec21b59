//! Open sets of texts as enums.

/// Writes what stands behind an enum of texts with an arm `Other` for those that it does not know: [`Value`](crate::record::Value),
/// conversions from and to text, comparison with text, `Display`, `Default` and serde's traits.
///
/// Every text is a value, also one that the schema did not name when the enum was generated; it is kept to the letter. A known
/// text is never `Other` when it comes from the wire or from a conversion. The default is the empty text.
///
/// ```
/// use kubeloom::generated::*;
///
/// /// What is pulled.
/// #[derive(Clone, Debug, PartialEq, Eq)]
/// pub enum Pull {
///     /// `Always`
///     Always,
///     /// `IfNotPresent`
///     IfNotPresent,
///     /// Any other text.
///     Other(Str),
/// }
/// text_enum! { Pull { Always "Always", IfNotPresent "IfNotPresent" } }
///
/// assert_eq!(Pull::from("Always"), Pull::Always);
/// assert_eq!(Pull::from("later"), Pull::Other("later".into()));
/// assert_eq!(Pull::Always, "Always");
/// assert_eq!(Pull::VALUES, ["Always", "IfNotPresent"]);
/// ```
#[macro_export]
macro_rules! text_enum {
    ($name:ident { $($variant:ident $text:literal),* $(,)? }) => {
        impl $name {
            /// The texts that the schema names.
            pub const VALUES: &'static [&'static str] = &[$($text),*];

            /// The text.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $text,)*
                    Self::Other(text) => text.as_str(),
                }
            }
        }
        impl ::core::convert::From<&str> for $name {
            fn from(text: &str) -> Self {
                match text {
                    $($text => Self::$variant,)*
                    text => Self::Other(text.into()),
                }
            }
        }
        impl ::core::default::Default for $name {
            fn default() -> Self {
                <Self as ::core::convert::From<&str>>::from("")
            }
        }
        impl ::core::convert::From<::std::string::String> for $name {
            fn from(text: ::std::string::String) -> Self {
                <Self as ::core::convert::From<&str>>::from(text.as_str())
            }
        }
        impl ::core::convert::AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                self.as_str()
            }
        }
        impl ::core::fmt::Display for $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.pad(self.as_str())
            }
        }
        impl ::core::cmp::PartialEq<str> for $name {
            fn eq(&self, other: &str) -> bool {
                self.as_str() == other
            }
        }
        impl ::core::cmp::PartialEq<&str> for $name {
            fn eq(&self, other: &&str) -> bool {
                self.as_str() == *other
            }
        }
        impl $crate::record::Text for $name {
            fn set(&mut self, text: &str) {
                *self = <Self as ::core::convert::From<&str>>::from(text);
            }
        }
        impl $crate::record::Value for $name {
            fn slot(&mut self) -> $crate::record::Slot<'_> {
                $crate::record::Slot::Text(self)
            }
            fn view(&self) -> $crate::record::View<'_> {
                $crate::record::View::Str(self.as_str())
            }
        }
        impl $crate::serde::Serialize for $name {
            fn serialize<S: $crate::serde::Serializer>(&self, serializer: S) -> ::core::result::Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }
        impl<'de> $crate::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::serde::Deserializer<'de>>(deserializer: D) -> ::core::result::Result<Self, D::Error> {
                let text = <$crate::value::Str as $crate::serde::Deserialize>::deserialize(deserializer)?;
                ::core::result::Result::Ok(<Self as ::core::convert::From<&str>>::from(text.as_str()))
            }
        }
    };
}
