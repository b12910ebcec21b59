//! Structs and the tables behind them.

use proc_macro2::{Literal, TokenStream};
use quote::quote;
use syn::{Item, parse_quote};

use super::scope::{Names, ident, word};
use super::{layout, resources};
use crate::ir::{Alias, Check, Demand, Enum, Field, File, Module, Number, Presence, Rule, Type};

/// The text of a file of types.
pub(super) fn file(module: &Module, file: &File) -> String {
    let names = Names {
        module: &module.name,
        local: file
            .types
            .iter()
            .map(|ty| &ty.name)
            .chain(file.enums.iter().map(|texts| &texts.name))
            .chain(file.aliases.iter().map(|alias| &alias.name))
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
    for texts in &file.enums {
        items.extend(enumeration(texts, &names));
    }
    items.extend(file.aliases.iter().map(alias));
    layout::file(std::slice::from_ref(&file.title), &items)
}

fn enumeration(texts: &Enum, names: &Names<'_>) -> [Item; 2] {
    let (name, docs_of_enum, other) = (ident(&texts.name), docs(&texts.docs), names.runtime("Str"));
    let variants = texts.variants.iter().map(|variant| {
        let (name, doc) = (
            ident(&variant.name),
            docs(&[format!("{:?}", variant.wire.as_str())]),
        );
        quote! { #doc #name }
    });
    let lines = texts.variants.iter().map(|variant| {
        let (name, wire) = (ident(&variant.name), variant.wire.as_str());
        quote!(#name #wire)
    });
    let item = parse_quote! {
        #docs_of_enum
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum #name {
            #(#variants,)*
            /// Any other text.
            Other(#other),
        }
    };
    let table = parse_quote! { text_enum! { #name { #(#lines),* } } };
    [item, table]
}

fn alias(alias: &Alias) -> Item {
    let (name, target, docs) = (ident(&alias.name), ident(&alias.target), docs(&alias.docs));
    parse_quote! {
        #docs
        pub type #name = #target;
    }
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
    let rules = ty.rules.iter().map(rule);
    parse_quote! { record! { #name #root { #(#lines)* #rest #(#rules)* } } }
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
        Presence::Nullable => "NULLABLE",
    });
    let sensitive = field.sensitive.then(|| quote!(| SENSITIVE));
    quote!(#index #name #wire [#(#tags),*] #presence #sensitive;)
}

fn rule(rule: &Rule) -> TokenStream {
    let (field, steps) = (rule.field.as_str(), Literal::u8_unsuffixed(rule.steps));
    let check = check(&rule.check);
    quote!(check #field #steps #check;)
}

fn check(check: &Check) -> TokenStream {
    match check {
        Check::Minimum(number) => of_number("Minimum", number),
        Check::Above(number) => of_number("Above", number),
        Check::Maximum(number) => of_number("Maximum", number),
        Check::Below(number) => of_number("Below", number),
        Check::MultipleOf(number) => of_number("MultipleOf", number),
        Check::MinLength(size) => of_size("MinLength", *size),
        Check::MaxLength(size) => of_size("MaxLength", *size),
        Check::Pattern(text) => quote!(Pattern(#text)),
        Check::Format(text) => quote!(Format(#text)),
        Check::MinItems(size) => of_size("MinItems", *size),
        Check::MaxItems(size) => of_size("MaxItems", *size),
        Check::MinProperties(size) => of_size("MinProperties", *size),
        Check::MaxProperties(size) => of_size("MaxProperties", *size),
        Check::Texts(texts) => quote!(Texts(&[#(#texts),*])),
        Check::TextsOf(name) => {
            let name = ident(name);
            quote!(Texts(#name::VALUES))
        }
        Check::Numbers(numbers) => {
            let numbers = numbers.iter().map(float);
            quote!(Numbers(&[#(#numbers),*]))
        }
        Check::ListSet => quote!(ListSet),
        Check::ListMap(keys) => quote!(ListMap(&[#(#keys),*])),
        Check::Atomic => quote!(Atomic),
        Check::Default(json) => quote!(Default(#json)),
        Check::Fields(demand) => {
            let demand = demand_of(demand);
            quote!(Fields(#demand))
        }
        Check::Cel(rule, message) => quote!(Cel(#rule, #message)),
    }
}

fn of_number(name: &str, number: &Number) -> TokenStream {
    let (name, number) = (word(name), float(number));
    quote!(#name(#number))
}

fn of_size(name: &str, size: u64) -> TokenStream {
    let (name, size) = (word(name), Literal::u64_unsuffixed(size));
    quote!(#name(#size))
}

fn float(number: &Number) -> TokenStream {
    let value = number.as_f64().unwrap_or_default();
    let literal = Literal::f64_unsuffixed(value.abs());
    match value < 0.0 {
        true => quote!(-#literal),
        false => quote!(#literal),
    }
}

fn demand_of(demand: &Demand) -> TokenStream {
    let several = |demands: &[Demand]| {
        let demands = demands.iter().map(demand_of);
        quote!(&[#(#demands),*])
    };
    match demand {
        Demand::Set(names) => quote!(Demand::Set(&[#(#names),*])),
        Demand::Not(inner) => {
            let inner = demand_of(inner);
            quote!(Demand::Not(&#inner))
        }
        Demand::One(demands) => {
            let demands = several(demands);
            quote!(Demand::One(#demands))
        }
        Demand::Any(demands) => {
            let demands = several(demands);
            quote!(Demand::Any(#demands))
        }
        Demand::All(demands) => {
            let demands = several(demands);
            quote!(Demand::All(#demands))
        }
    }
}
