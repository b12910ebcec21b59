//! What stands behind a key.

use proc_macro2::Span;
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Ident, LitBool, LitStr, Token};

use crate::keys::list;

/// The sign `=`, or what should have come after the key.
pub(crate) fn equals(key: &Ident, takes: &str, input: ParseStream<'_>) -> syn::Result<()> {
    if !input.peek(Token![=]) {
        return Err(syn::Error::new(key.span(), format!("`{key}` takes {takes}")));
    }
    input.parse::<Token![=]>().map(drop)
}

/// A key that is there or not.
pub(crate) fn flag(key: &Ident, input: ParseStream<'_>) -> syn::Result<()> {
    if input.is_empty() || input.peek(Token![,]) {
        return Ok(());
    }
    Err(syn::Error::new(
        key.span(),
        format!("`{key}` takes no value: leave it out where it does not hold"),
    ))
}

/// `key = "text"`
pub(crate) fn text(key: &Ident, input: ParseStream<'_>) -> syn::Result<LitStr> {
    let takes = format!("a text: `{key} = \"...\"`");
    equals(key, &takes, input)?;
    if !input.peek(LitStr) {
        return Err(input.error(format!("`{key}` takes {takes}")));
    }
    let text: LitStr = input.parse()?;
    if text.value().is_empty() {
        return Err(syn::Error::new(text.span(), format!("`{key}` is empty")));
    }
    Ok(text)
}

/// Nothing, or `= "text"`.
pub(crate) fn optional_text(input: ParseStream<'_>) -> syn::Result<Option<LitStr>> {
    if input.peek(Token![=]) {
        input.parse::<Token![=]>()?;
        return input.parse().map(Some);
    }
    Ok(None)
}

/// `key = true`
pub(crate) fn boolean(key: &Ident, input: ParseStream<'_>) -> syn::Result<LitBool> {
    let takes = format!("true or false: `{key} = false`");
    equals(key, &takes, input)?;
    if !input.peek(LitBool) {
        return Err(input.error(format!("`{key}` takes {takes}")));
    }
    input.parse()
}

/// `key("a", "b")`
pub(crate) fn texts(key: &Ident, input: ParseStream<'_>) -> syn::Result<Vec<LitStr>> {
    let example = format!("{key}(\"a\", \"b\")");
    Ok(list(key, &example, input, |input| input.parse::<LitStr>())?.0)
}

/// `"key" = "value"`
pub(crate) struct Pair {
    pub(crate) key: LitStr,
    pub(crate) value: LitStr,
}

/// `key("a" = "b")`
pub(crate) fn pairs(key: &Ident, input: ParseStream<'_>) -> syn::Result<Vec<Pair>> {
    let example = format!("{key}(\"team\" = \"web\")");
    let (all, _) = list(key, &example, input, |input| {
        let key = input.parse()?;
        input.parse::<Token![=]>()?;
        let value = input.parse()?;
        Ok(Pair { key, value })
    })?;
    for (position, pair) in all.iter().enumerate() {
        if all[..position]
            .iter()
            .any(|known: &Pair| known.key.value() == pair.key.value())
        {
            return Err(syn::Error::new(
                pair.key.span(),
                format!("{:?} is there twice", pair.key.value()),
            ));
        }
    }
    Ok(all)
}

/// A path of a field: `.spec.replicas`, or any JSON path as a text.
pub(crate) struct FieldPath {
    pub(crate) text: String,
    pub(crate) span: Span,
}

impl FieldPath {
    pub(crate) fn read(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(LitStr) {
            let literal: LitStr = input.parse()?;
            let text = literal.value();
            let span = literal.span();
            if !text.starts_with('.') || text.len() < 2 {
                return Err(syn::Error::new(
                    span,
                    "a path begins with a dot: `.spec.replicas`",
                ));
            }
            return Ok(Self { text, span });
        }
        if !input.peek(Token![.]) {
            return Err(input.error("a path is expected here, such as `.spec.replicas` or \".spec.list[0]\""));
        }
        let mut text = String::new();
        let mut span = None;
        while input.peek(Token![.]) {
            input.parse::<Token![.]>()?;
            let name = input.call(Ident::parse_any)?;
            text.push('.');
            text.push_str(&name.unraw().to_string());
            span = Some(name.span());
        }
        let span = span.unwrap_or_else(Span::call_site);
        Ok(Self { text, span })
    }

    /// Refuses all but dots and names.
    pub(crate) fn plain(&self, why: &str) -> syn::Result<()> {
        let mut names = self.text[1..].split('.');
        if names.all(|name| {
            !name.is_empty()
                && name
                    .chars()
                    .all(|one| one.is_alphanumeric() || "_-".contains(one))
        }) {
            return Ok(());
        }
        Err(syn::Error::new(self.span, why))
    }

    pub(crate) fn below(&self, parents: &[&str]) -> syn::Result<()> {
        self.plain("the path of a scale has dots and names alone")?;
        if parents
            .iter()
            .any(|parent| self.text.starts_with(&format!("{parent}.")))
        {
            return Ok(());
        }
        Err(syn::Error::new(
            self.span,
            format!("the path leads below {}", parents.join(" or ")),
        ))
    }
}
