//! The implementations: constants and delegation, all else is in the runtime.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Ident, LitStr};

use crate::input::Root;
use crate::keys::{Faults, Keys};
use crate::parts::{Column, Rule, Scale};
use crate::values::{FieldPath, Pair};

/// All implementations, and the faults beside them.
pub(crate) fn all(root: &Root<'_>, keys: &Keys, faults: Faults) -> TokenStream {
    if root.has_parameters {
        // There is no one type to implement anything for.
        return faults.into_tokens();
    }
    let resource = resource(root, keys);
    let offers = offers(root, keys);
    let definition = (!keys.without_crd).then(|| definition(root, keys));
    let faults = faults.into_tokens();
    quote! {
        #resource
        #offers
        #definition
        #faults
    }
}

fn resource(root: &Root<'_>, keys: &Keys) -> TokenStream {
    let (name, runtime) = (root.name, keys.runtime());
    let Keys {
        group,
        version,
        kind,
        plural,
        singular,
        short_names,
        categories,
        ..
    } = keys;
    let api_version = format!("{group}/{version}");
    let scope = if keys.is_cluster {
        quote!(Cluster)
    } else {
        quote!(Namespaced)
    };
    let metadata = metadata(root, &runtime);
    let short_names = (!short_names.is_empty())
        .then(|| quote!(const SHORT_NAMES: &'static [&'static str] = &[#(#short_names),*];));
    let categories = (!categories.is_empty())
        .then(|| quote!(const CATEGORIES: &'static [&'static str] = &[#(#categories),*];));
    quote! {
        #[automatically_derived]
        impl #runtime::resource::Resource for #name {
            type Scope = #runtime::resource::#scope;
            const GROUP: &'static str = #group;
            const VERSION: &'static str = #version;
            const API_VERSION: &'static str = #api_version;
            const KIND: &'static str = #kind;
            const PLURAL: &'static str = #plural;
            const SINGULAR: &'static str = #singular;
            #short_names
            #categories
            #metadata
        }
        #runtime::serde_object! { #name }
    }
}

/// Both ways to the metadata; where the field is missing, which is told as a fault, functions that are never called.
fn metadata(root: &Root<'_>, runtime: &TokenStream) -> TokenStream {
    let (read, write) = match root.metadata {
        Some(field) => {
            let span = field.ty.span();
            (
                quote_spanned!(span=> &self.metadata),
                quote_spanned!(span=> &mut self.metadata),
            )
        }
        None => (quote!(::core::unimplemented!()), quote!(::core::unimplemented!())),
    };
    quote! {
        fn metadata(&self) -> &#runtime::meta::ObjectMeta {
            #read
        }
        fn metadata_mut(&mut self) -> &mut #runtime::meta::ObjectMeta {
            #write
        }
    }
}

fn offers(root: &Root<'_>, keys: &Keys) -> TokenStream {
    let (name, runtime) = (root.name, keys.runtime());
    let verb = quote!(#runtime::resource::verb);
    let status = keys.status.as_ref().map(|_| {
        quote! {
            #runtime::offers! { #name / #runtime::resource::sub::Status { #verb::Get, #verb::Patch, #verb::Update } }
        }
    });
    let scale = keys.scale.as_ref().map(|_| {
        let scale = quote!(#runtime::crd::Scale);
        quote! {
            #runtime::offers! { #name / #runtime::resource::sub::Scale {
                #verb::Get: () => #scale, #verb::Patch: #scale => #scale, #verb::Update: #scale => #scale
            } }
        }
    });
    quote! {
        #runtime::offers! { #name {
            #verb::Create, #verb::Delete, #verb::DeleteCollection, #verb::Get,
            #verb::List, #verb::Patch, #verb::Update, #verb::Watch
        } }
        #status
        #scale
    }
}

fn definition(root: &Root<'_>, keys: &Keys) -> TokenStream {
    let (name, visibility, runtime) = (root.name, root.visibility, keys.runtime());
    let constant = constant(keys, &quote!(#runtime::crd));
    let doc = format!(
        "The CustomResourceDefinition of `{}`, with version `{}` alone.",
        keys.kind, keys.version
    );
    quote! {
        #[automatically_derived]
        impl #runtime::crd::CustomResource for #name {
            const DEFINITION: #runtime::crd::Definition = #constant;
        }
        impl #name {
            #[doc = #doc]
            ///
            /// # Errors
            /// A type that has no schema that servers accept, and keys that name fields that the type does not have.
            #[allow(dead_code)]
            #visibility fn crd() -> ::core::result::Result<
                #runtime::crd::CustomResourceDefinition,
                #runtime::crd::schema::SchemaError,
            > {
                <Self as #runtime::crd::CustomResource>::crd()
            }
        }
    }
}

fn constant(keys: &Keys, crd: &TokenStream) -> TokenStream {
    let some = |value: TokenStream| quote!(::core::option::Option::Some(#value));
    let mut fields = Vec::new();
    if let Some(served) = &keys.served {
        fields.push(quote!(served: #served));
    }
    if let Some(storage) = &keys.storage {
        fields.push(quote!(storage: #storage));
    }
    if let Some(warning) = &keys.deprecated {
        let text = warning.as_ref().map(LitStr::value).unwrap_or_default();
        let text = some(text.to_token_stream());
        fields.push(quote!(deprecated: #text));
    }
    if keys.status.is_some() {
        fields.push(quote!(status: true));
    }
    if let Some(paths) = &keys.scale {
        let scale = some(scale(paths, crd));
        fields.push(quote!(scale: #scale));
    }
    let mut list = |field: &str, items: Vec<TokenStream>| {
        if !items.is_empty() {
            let field = quote::format_ident!("{field}");
            fields.push(quote!(#field: &[#(#items),*]));
        }
    };
    list(
        "printer_columns",
        keys.columns.iter().map(|one| column(one, crd)).collect(),
    );
    list("selectable_fields", keys.selectable.iter().map(path).collect());
    list("labels", keys.labels.iter().map(pair).collect());
    list("annotations", keys.annotations.iter().map(pair).collect());
    list("rules", keys.rules.iter().map(|one| rule(one, crd)).collect());
    if fields.is_empty() {
        return quote!(#crd::Definition::NEW);
    }
    quote!(#crd::Definition { #(#fields,)* ..#crd::Definition::NEW })
}

fn path(path: &FieldPath) -> TokenStream {
    LitStr::new(&path.text, path.span).into_token_stream()
}

fn pair(Pair { key, value }: &Pair) -> TokenStream {
    quote!((#key, #value))
}

fn scale(paths: &Scale, crd: &TokenStream) -> TokenStream {
    let (spec, status) = (path(&paths.spec), path(&paths.status));
    let selector = match &paths.selector {
        Some(selector) => {
            let selector = path(selector);
            quote!(::core::option::Option::Some(#selector))
        }
        None => quote!(::core::option::Option::None),
    };
    quote! {
        #crd::ScalePaths { spec_replicas: #spec, status_replicas: #status, label_selector: #selector }
    }
}

fn column(column: &Column, crd: &TokenStream) -> TokenStream {
    let (name, json_path) = (&column.name, path(&column.path));
    let mut fields = Vec::new();
    if let Some(type_) = &column.type_ {
        let variant = match type_.to_string().as_str() {
            "integer" => "Integer",
            "number" => "Number",
            "boolean" => "Boolean",
            "date" => "Date",
            _ => "String",
        };
        let variant = Ident::new(variant, type_.span());
        fields.push(quote!(type_: ::core::option::Option::Some(#crd::ColumnType::#variant)));
    }
    for (field, text) in [("format", &column.format), ("description", &column.description)] {
        if let Some(text) = text {
            let field = quote::format_ident!("{field}");
            fields.push(quote!(#field: #text));
        }
    }
    if let Some(priority) = &column.priority {
        fields.push(quote!(priority: #priority));
    }
    with(fields, quote!(#crd::PrinterColumn), quote!(#name, #json_path))
}

fn rule(rule: &Rule, crd: &TokenStream) -> TokenStream {
    let text = &rule.rule;
    let mut fields = Vec::new();
    for (field, text) in [
        ("message", &rule.message),
        ("message_expression", &rule.message_expression),
    ] {
        if let Some(text) = text {
            let field = quote::format_ident!("{field}");
            fields.push(quote!(#field: #text));
        }
    }
    if let Some(reason) = &rule.reason {
        fields.push(quote!(reason: ::core::option::Option::Some(#crd::Reason::#reason)));
    }
    if let Some(field_path) = &rule.field_path {
        let field_path = path(field_path);
        fields.push(quote!(field_path: #field_path));
    }
    if rule.optional_old_self {
        fields.push(quote!(optional_old_self: true));
    }
    with(fields, quote!(#crd::RootRule), quote!(#text))
}

/// `Type::new(arguments)`, or the same with fields set.
fn with(fields: Vec<TokenStream>, type_: TokenStream, arguments: TokenStream) -> TokenStream {
    if fields.is_empty() {
        quote!(#type_::new(#arguments))
    } else {
        quote!(#type_ { #(#fields,)* ..#type_::new(#arguments) })
    }
}
