//! Structs and the tables behind them.

use proc_macro2::{Literal, TokenStream};
use quote::quote;
use syn::{Item, parse_quote};

use super::scope::{Names, ident, word};
use super::{layout, resources};
use crate::ir::{Field, File, Module, Presence, Type};

/// The text of a file of types.
pub(super) fn file(module: &Module, file: &File) -> String {
    let names = Names {
        module: &module.name,
        local: file
            .types
            .iter()
            .map(|ty| &ty.name)
            .chain(&file.siblings)
            .collect(),
    };
    let mut items: Vec<Item> = vec![parse_quote!(
        use kubeloom::generated::*;
    )];
    if !file.siblings.is_empty() {
        let siblings = file.siblings.iter().map(ident);
        items.push(parse_quote!(use super::{#(#siblings),*};));
    }
    if !file.modules.is_empty() {
        let modules = file.modules.iter().map(ident);
        items.push(parse_quote!(use crate::{#(#modules),*};));
    }
    for ty in &file.types {
        items.push(structure(ty, &names));
        items.push(record(ty));
        if let Some(resource) = &ty.resource {
            items.push(resources::resource(ty, resource, &names));
            items.extend(resources::offers(ty, resource, &names));
        }
    }
    layout::file(std::slice::from_ref(&file.title), &items)
}

fn structure(ty: &Type, names: &Names<'_>) -> Item {
    let name = ident(&ty.name);
    let docs = docs(&ty.docs);
    let fields = ty.fields.iter().map(|field| field_of(field, names));
    let rest = ty.rest.iter().map(|rest| {
        let (rest, map, json) = (ident(rest), names.runtime("Map"), names.runtime("RawJson"));
        quote! {
            /// Fields that the schema does not name.
            pub #rest: #map<#json>
        }
    });
    let fields = fields.chain(rest);
    parse_quote! {
        #docs
        #[derive(Clone, Default)]
        pub struct #name { #(#fields),* }
    }
}

fn field_of(field: &Field, names: &Names<'_>) -> TokenStream {
    let (name, docs, ty) = (ident(&field.name), docs(&field.docs), names.ty(&field.ty));
    quote! {
        #docs
        pub #name: #ty
    }
}

/// Lines of documentation as attributes.
pub(super) fn docs(lines: &[String]) -> TokenStream {
    let lines = lines.iter().map(|line| {
        if line.is_empty() {
            String::new()
        } else {
            format!(" {line}")
        }
    });
    quote!(#(#[doc = #lines])*)
}

fn record(ty: &Type) -> Item {
    let name = ident(&ty.name);
    let root = ty.root.as_ref().map(|root| {
        let (api_version, kind) = (root.api_version.as_str(), root.kind.as_str());
        quote!(= #api_version #kind)
    });
    let lines = ty
        .fields
        .iter()
        .enumerate()
        .map(|(index, field)| line(index, field));
    let rest = ty.rest.as_ref().map(|rest| {
        let rest = ident(rest);
        quote!(rest #rest;)
    });
    parse_quote! { record! { #name #root { #(#lines)* #rest } } }
}

fn line(index: usize, field: &Field) -> TokenStream {
    let index = Literal::usize_unsuffixed(index);
    let (name, wire) = (ident(&field.name), field.wire.as_str());
    let tags = field.tags.iter().map(|tag| Literal::u32_unsuffixed(*tag));
    let presence = word(match field.presence {
        Presence::Omit => "OMIT",
        Presence::Opt => "OPT",
        Presence::Keep => "KEEP",
        Presence::Nil => "NIL",
        Presence::Null => "NULL",
    });
    let sensitive = field.sensitive.then(|| quote!(| SENSITIVE));
    quote!(#index #name #wire [#(#tags),*] #presence #sensitive;)
}
