//! What the API offers for a kind.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Item, parse_quote};

use super::scope::{Names, ident, word};
use crate::ir::{Exchange, Offer, Resource, Subresource, Type, Verb, WireName};

/// `impl Resource`.
pub(super) fn resource(ty: &Type, resource: &Resource, names: &Names<'_>) -> Item {
    let name = ident(&ty.name);
    let (base, meta) = (names.runtime("Resource"), names.runtime("ObjectMeta"));
    let scope = names.runtime(if resource.namespaced {
        "Namespaced"
    } else {
        "Cluster"
    });
    let (group, version) = (resource.group.as_str(), resource.version.as_str());
    let api_version = ty.root.as_ref().map_or("", |root| root.api_version.as_str());
    let kind = ty.root.as_ref().map_or("", |root| root.kind.as_str());
    let (plural, singular) = (resource.plural.as_str(), resource.singular.as_str());
    let short_names = resource.short_names.iter().map(WireName::as_str);
    let categories = resource.categories.iter().map(WireName::as_str);
    let protobuf = resource.protobuf;
    parse_quote! {
        impl #base for #name {
            type Scope = #scope;
            const GROUP: &'static str = #group;
            const VERSION: &'static str = #version;
            const API_VERSION: &'static str = #api_version;
            const KIND: &'static str = #kind;
            const PLURAL: &'static str = #plural;
            const SINGULAR: &'static str = #singular;
            const SHORT_NAMES: &'static [&'static str] = &[#(#short_names),*];
            const CATEGORIES: &'static [&'static str] = &[#(#categories),*];
            const PROTOBUF: bool = #protobuf;
            fn metadata(&self) -> &#meta { &self.metadata }
            fn metadata_mut(&mut self) -> &mut #meta { &mut self.metadata }
        }
    }
}

/// `offers!`, one per subresource. Verbs of the kind itself that take or return something else come separately.
pub(super) fn offers(ty: &Type, resource: &Resource, names: &Names<'_>) -> Vec<Item> {
    let mut items = Vec::new();
    for offer in &resource.offers {
        match &offer.subresource {
            None => items.extend(root(ty, offer, names)),
            Some(Subresource::Known(name)) => {
                let name = word(name);
                items.push(offer_of(ty, &quote!(sub::#name), offer, names));
            }
            Some(Subresource::Marker(marker)) => {
                let name = ident(&marker.name);
                items.push(offer_of(ty, &quote!(#name), offer, names));
            }
        }
    }
    items
}

fn root(ty: &Type, offer: &Offer, names: &Names<'_>) -> Vec<Item> {
    let name = ident(&ty.name);
    let plain = offer.verbs.iter().filter(|(_, exchange)| exchange.is_none());
    let plain: Vec<_> = plain.map(|(verb, _)| verb_path(*verb)).collect();
    let mut items = Vec::new();
    if !plain.is_empty() {
        items.push(parse_quote! { offers! { #name { #(#plain),* } } });
    }
    let other = offer.verbs.iter().filter(|(_, exchange)| exchange.is_some());
    let other = Offer {
        subresource: None,
        verbs: other.map(|(verb, exchange)| (*verb, exchange.clone())).collect(),
    };
    if !other.verbs.is_empty() {
        items.push(offer_of(ty, &quote!(sub::Root), &other, names));
    }
    items
}

fn offer_of(ty: &Type, sub: &TokenStream, offer: &Offer, names: &Names<'_>) -> Item {
    let name = ident(&ty.name);
    let verbs = offer
        .verbs
        .iter()
        .map(|(verb, exchange)| verb_of(*verb, exchange.as_ref(), names));
    parse_quote! { offers! { #name / #sub { #(#verbs),* } } }
}

fn verb_of(verb: Verb, exchange: Option<&Exchange>, names: &Names<'_>) -> TokenStream {
    let verb = verb_path(verb);
    match exchange {
        None => verb,
        Some(Exchange { input, output }) => {
            let (input, output) = (names.ty(input), names.ty(output));
            quote!(#verb: #input => #output)
        }
    }
}

fn verb_path(verb: Verb) -> TokenStream {
    let verb = word(match verb {
        Verb::Connect => "Connect",
        Verb::Create => "Create",
        Verb::Delete => "Delete",
        Verb::DeleteCollection => "DeleteCollection",
        Verb::Get => "Get",
        Verb::List => "List",
        Verb::Patch => "Patch",
        Verb::Update => "Update",
        Verb::Watch => "Watch",
    });
    quote!(verb::#verb)
}
