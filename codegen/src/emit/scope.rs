//! How names are written within a file.

use std::collections::BTreeSet;

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use crate::ir::{Primitive, RustName, TypeRef};

/// The identifier of a name.
pub(super) fn ident(name: &RustName) -> Ident {
    word(name.as_str())
}

/// An identifier that is known to be valid.
pub(super) fn word(name: &str) -> Ident {
    Ident::new(name, Span::call_site())
}

/// The names that a file defines or imports by name. They shadow those of the runtime.
pub(super) struct Names<'a> {
    pub(super) module: &'a RustName,
    pub(super) local: BTreeSet<&'a RustName>,
}

impl Names<'_> {
    /// A name of the runtime, with its path if the file has another of that name.
    pub(super) fn runtime(&self, name: &str) -> TokenStream {
        let ident = word(name);
        match self.local.iter().any(|local| local.as_str() == name) {
            true => quote!(kubeloom::generated::#ident),
            false => quote!(#ident),
        }
    }

    /// A type.
    pub(super) fn ty(&self, ty: &TypeRef) -> TokenStream {
        match ty {
            TypeRef::Primitive(primitive) => {
                let name = word(match primitive {
                    Primitive::Bool => "bool",
                    Primitive::I32 => "i32",
                    Primitive::I64 => "i64",
                    Primitive::F64 => "f64",
                });
                quote!(#name)
            }
            TypeRef::Runtime(name) => self.runtime(name),
            TypeRef::Named(id) => {
                let name = ident(&id.name);
                match id.module == *self.module {
                    true => quote!(#name),
                    false => {
                        let module = ident(&id.module);
                        quote!(#module::#name)
                    }
                }
            }
            TypeRef::Shared(id) => {
                let (module, name) = (ident(&id.module), ident(&id.name));
                quote!(kubeloom_k8s::#module::#name)
            }
            TypeRef::List(inner) => self.wrapped(quote!(Vec), inner),
            TypeRef::Map(inner) => self.wrapped(self.runtime("Map"), inner),
            TypeRef::Option(inner) => self.wrapped(quote!(Option), inner),
            TypeRef::Nullable(inner) => self.wrapped(self.runtime("Nullable"), inner),
            TypeRef::Boxed(inner) => self.wrapped(quote!(Box), inner),
            TypeRef::Union(union, inner) => self.wrapped(self.runtime(union), inner),
            TypeRef::Unit => quote!(()),
        }
    }

    fn wrapped(&self, outer: TokenStream, inner: &TypeRef) -> TokenStream {
        let inner = self.ty(inner);
        quote!(#outer<#inner>)
    }
}
