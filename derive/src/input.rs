//! The struct.

use syn::{Attribute, Data, DeriveInput, Field, Fields, Ident, Visibility};

use crate::keys::{Faults, Keys};

/// What there is to know of the struct.
pub(crate) struct Root<'a> {
    pub(crate) name: &'a Ident,
    pub(crate) visibility: &'a Visibility,
    /// Whether the struct has type parameters, which is a fault.
    pub(crate) has_parameters: bool,
    /// The field `metadata`, if it is there.
    pub(crate) metadata: Option<&'a Field>,
}

impl<'a> Root<'a> {
    pub(crate) fn read(input: &'a DeriveInput, keys: &Keys, faults: &mut Faults) -> Self {
        let mut root = Self {
            name: &input.ident,
            visibility: &input.vis,
            has_parameters: !input.generics.params.is_empty(),
            metadata: None,
        };
        if root.has_parameters {
            faults.at(&input.generics, "a kind is one type: it has no parameters");
        }
        serde_attributes(&input.attrs, faults);
        match &input.data {
            Data::Struct(data) => match &data.fields {
                Fields::Named(fields) => root.fields(fields.named.iter(), keys, faults),
                _ => faults.at(
                    root.name,
                    "a kind is a struct with named fields, of which one is `metadata: ObjectMeta`",
                ),
            },
            _ => faults.at(
                root.name,
                "a kind is a struct: put the enum or union in its `spec`",
            ),
        }
        root
    }

    fn fields(&mut self, fields: impl Iterator<Item = &'a Field> + Clone, keys: &Keys, faults: &mut Faults) {
        let find = |name: &str| {
            fields
                .clone()
                .find(|field| field.ident.as_ref().is_some_and(|one| one == name))
        };
        self.metadata = find("metadata");
        match self.metadata {
            Some(field) => metadata(field, faults),
            None => faults.at(self.name, "the field `metadata: ObjectMeta` is missing"),
        }
        for (name, wire) in [
            ("api_version", "apiVersion"),
            ("kind", "kind"),
            ("type_meta", "apiVersion"),
        ] {
            if let Some(field) = find(name) {
                faults.at(
                    &field.ident,
                    format!("`{wire}` is no field: it comes from the attribute, and is written by itself"),
                );
            }
        }
        if let (Some(key), None) = (&keys.status, find("status")) {
            faults.at(
                key,
                "the key asks for a subresource of a field `status`, which the struct does not have",
            );
        }
        if let (Some(_), None) = (&keys.scale, find("spec")) {
            faults.at(
                self.name,
                "the key `scale` names fields of `spec`, which the struct does not have",
            );
        }
    }
}

/// Metadata must be found by servers under its name.
fn metadata(field: &Field, faults: &mut Faults) {
    for attribute in field.attrs.iter().filter(|one| one.path().is_ident("serde")) {
        let _ = attribute.parse_nested_meta(|meta| {
            for hidden in [
                "rename",
                "skip",
                "flatten",
                "skip_serializing",
                "skip_deserializing",
            ] {
                if meta.path.is_ident(hidden) {
                    faults.at(&meta.path, format!("`{hidden}` hides the metadata from servers"));
                }
            }
            skip_value(&meta)
        });
    }
}

/// Attributes of serde under which the struct is no object, or its fields are not found.
fn serde_attributes(attributes: &[Attribute], faults: &mut Faults) {
    for attribute in attributes.iter().filter(|one| one.path().is_ident("serde")) {
        let _ = attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("transparent") {
                faults.at(
                    &meta.path,
                    "a kind is an object with a field `metadata`: it cannot be transparent",
                );
            }
            if meta.path.is_ident("rename_all") && meta.input.peek(syn::Token![=]) {
                let value: syn::LitStr = meta.value()?.parse()?;
                if [
                    "PascalCase",
                    "UPPERCASE",
                    "SCREAMING_SNAKE_CASE",
                    "SCREAMING-KEBAB-CASE",
                ]
                .contains(&value.value().as_str())
                {
                    faults.at(
                        &value,
                        "servers look for `metadata`, `spec` and `status` in lower case",
                    );
                }
                return Ok(());
            }
            skip_value(&meta)
        });
    }
}

fn skip_value(meta: &syn::meta::ParseNestedMeta<'_>) -> syn::Result<()> {
    if meta.input.peek(syn::Token![=]) {
        meta.value()?.parse::<syn::Expr>()?;
    } else if meta.input.peek(syn::token::Paren) {
        let inside;
        syn::parenthesized!(inside in meta.input);
        inside.parse::<proc_macro2::TokenStream>()?;
    }
    Ok(())
}
