//! The keys of `#[resource(...)]`.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::{Attribute, Ident, LitBool, LitStr, Token, parenthesized};

use crate::names;
use crate::parts::{Column, Rule, Scale};
use crate::values::{self, FieldPath, Pair};

/// All keys, in the order in which documentation lists them.
const KEYS: [&str; 21] = [
    "group",
    "version",
    "namespaced",
    "cluster",
    "kind",
    "plural",
    "singular",
    "short_names",
    "categories",
    "status",
    "scale",
    "printer_column",
    "selectable_field",
    "rule",
    "deprecated",
    "served",
    "storage",
    "labels",
    "annotations",
    "without_crd",
    "crate",
];

/// What is wrong, all of it.
#[derive(Default)]
pub(crate) struct Faults(Option<syn::Error>);

impl Faults {
    pub(crate) fn push(&mut self, error: syn::Error) {
        match &mut self.0 {
            Some(known) => known.combine(error),
            None => self.0 = Some(error),
        }
    }

    pub(crate) fn at(&mut self, tokens: impl ToTokens, message: impl std::fmt::Display) {
        self.push(syn::Error::new_spanned(tokens, message));
    }

    /// `compile_error!` for each fault.
    pub(crate) fn into_tokens(self) -> TokenStream {
        self.0.map(syn::Error::into_compile_error).unwrap_or_default()
    }
}

/// What the attribute says.
#[derive(Default)]
pub(crate) struct Keys {
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) kind: String,
    pub(crate) plural: String,
    pub(crate) singular: String,
    pub(crate) is_cluster: bool,
    pub(crate) short_names: Vec<LitStr>,
    pub(crate) categories: Vec<LitStr>,
    pub(crate) status: Option<Ident>,
    pub(crate) scale: Option<Scale>,
    pub(crate) columns: Vec<Column>,
    pub(crate) selectable: Vec<FieldPath>,
    pub(crate) rules: Vec<Rule>,
    pub(crate) deprecated: Option<Option<LitStr>>,
    pub(crate) served: Option<LitBool>,
    pub(crate) storage: Option<LitBool>,
    pub(crate) labels: Vec<Pair>,
    pub(crate) annotations: Vec<Pair>,
    pub(crate) without_crd: bool,
    pub(crate) krate: Option<syn::Path>,
    texts: Texts,
    seen: Vec<Ident>,
}

/// Names as they were written.
#[derive(Default)]
struct Texts {
    group: Option<LitStr>,
    version: Option<LitStr>,
    kind: Option<LitStr>,
    plural: Option<LitStr>,
    singular: Option<LitStr>,
}

impl Keys {
    /// Reads all attributes `resource` of a struct called `name`.
    pub(crate) fn read(attributes: &[Attribute], name: &Ident, faults: &mut Faults) -> Self {
        let mut keys = Self::default();
        let mut place = None;
        for attribute in attributes.iter().filter(|one| one.path().is_ident("resource")) {
            place.get_or_insert(attribute);
            let items = attribute.parse_args_with(|input: ParseStream<'_>| {
                keys.items(input, faults);
                Ok(())
            });
            if let Err(error) = items {
                faults.push(error);
            }
        }
        let place = match place {
            Some(attribute) => attribute.path().to_token_stream(),
            None => name.to_token_stream(),
        };
        keys.settle(&place, name, faults);
        keys
    }

    fn items(&mut self, input: ParseStream<'_>, faults: &mut Faults) {
        while !input.is_empty() {
            if let Err(error) = self.item(input) {
                faults.push(error);
                skip_item(input);
            }
            if input.is_empty() {
                return;
            }
            if !input.peek(Token![,]) {
                faults.push(input.error("a comma stands between keys"));
                skip_item(input);
            }
            // Nothing is there or a comma is.
            let _ = input.parse::<Option<Token![,]>>();
        }
    }

    fn item(&mut self, input: ParseStream<'_>) -> syn::Result<()> {
        if !input.peek(Ident::peek_any) {
            return Err(input.error("a key is expected here, such as `group = \"demo.example.com\"`"));
        }
        let key = Ident::parse_any(input)?;
        let name = key.to_string();
        let may_repeat = ["printer_column", "selectable_field", "rule"].contains(&name.as_str());
        if !may_repeat && self.seen.contains(&key) {
            return Err(syn::Error::new(key.span(), format!("`{name}` is written twice")));
        }
        // Before its value is read: a key whose value is wrong is not missing.
        self.seen.push(key.clone());
        self.value(&key, &name, input)
    }

    fn value(&mut self, key: &Ident, name: &str, input: ParseStream<'_>) -> syn::Result<()> {
        match name {
            "group" => self.texts.group = Some(values::text(key, input)?),
            "version" => self.texts.version = Some(values::text(key, input)?),
            "kind" => self.texts.kind = Some(values::text(key, input)?),
            "plural" => self.texts.plural = Some(values::text(key, input)?),
            "singular" => self.texts.singular = Some(values::text(key, input)?),
            "namespaced" => values::flag(key, input)?,
            "cluster" => {
                values::flag(key, input)?;
                self.is_cluster = true;
            }
            "status" => {
                values::flag(key, input)?;
                self.status = Some(key.clone());
            }
            "without_crd" => {
                values::flag(key, input)?;
                self.without_crd = true;
            }
            "short_names" => self.short_names = values::texts(key, input)?,
            "categories" => self.categories = values::texts(key, input)?,
            "scale" => self.scale = Some(Scale::read(key, input)?),
            "printer_column" => self.columns.push(Column::read(key, input)?),
            "selectable_field" => self.selectable.push(selectable(key, input)?),
            "rule" => self.rules.push(Rule::read(key, input)?),
            "deprecated" => self.deprecated = Some(values::optional_text(input)?),
            "served" => self.served = Some(values::boolean(key, input)?),
            "storage" => self.storage = Some(values::boolean(key, input)?),
            "labels" => self.labels = values::pairs(key, input)?,
            "annotations" => self.annotations = values::pairs(key, input)?,
            "crate" => {
                values::equals(key, "a path: `crate = my_crate::kubeloom`", input)?;
                self.krate = Some(syn::Path::parse_mod_style(input)?);
            }
            _ => return Err(unknown(key, &KEYS)),
        }
        Ok(())
    }

    /// Looks at names and scope, and fills in what was left to be made of others.
    fn settle(&mut self, place: &TokenStream, name: &Ident, faults: &mut Faults) {
        let texts = std::mem::take(&mut self.texts);
        let mut required = |text: &Option<LitStr>, key: &str, example: &str| {
            if text.is_none() && !self.seen.iter().any(|one| one == key) {
                faults.at(place, format!("`{key}` is missing: `{key} = \"{example}\"`"));
            }
            text.as_ref().map(LitStr::value).unwrap_or_default()
        };
        self.group = required(&texts.group, "group", "demo.example.com");
        self.version = required(&texts.version, "version", "v1");
        self.kind = texts
            .kind
            .as_ref()
            .map_or_else(|| name.unraw().to_string(), LitStr::value);
        let lower = self.kind.to_ascii_lowercase();
        self.plural = texts
            .plural
            .as_ref()
            .map_or_else(|| names::plural(&lower), LitStr::value);
        self.singular = texts
            .singular
            .as_ref()
            .map_or_else(|| lower.clone(), LitStr::value);
        self.scope(place, faults);

        let mut check = |text: Option<&LitStr>, rule: fn(&str) -> Result<(), String>| {
            if let Some(text) = text
                && let Err(message) = rule(&text.value())
            {
                faults.at(text, message);
            }
        };
        check(texts.group.as_ref(), names::group);
        check(texts.version.as_ref(), names::version);
        check(texts.kind.as_ref(), names::kind);
        for text in [&texts.plural, &texts.singular] {
            check(text.as_ref(), names::label);
        }
        for text in self.short_names.iter().chain(&self.categories) {
            check(Some(text), names::label);
        }
        if texts.kind.is_none() && names::kind(&self.kind).is_err() {
            faults.at(
                name,
                "the name is no kind: name another one with `kind = \"...\"`",
            );
        }
        self.approval(texts.group.as_ref(), faults);
    }

    fn scope(&self, place: &TokenStream, faults: &mut Faults) {
        let find = |name: &str| self.seen.iter().find(|key| *key == name);
        match (find("namespaced"), find("cluster")) {
            (Some(_), Some(cluster)) => faults.at(cluster, "a kind is `namespaced` or `cluster`, not both"),
            (None, None) => faults.at(
                place,
                "the scope is missing: `namespaced`, or `cluster` for objects that belong to no namespace",
            ),
            _ => {}
        }
    }

    /// Servers ask for a sign of approval for groups that belong to Kubernetes.
    fn approval(&self, group: Option<&LitStr>, faults: &mut Faults) {
        const APPROVED: &str = "api-approved.kubernetes.io";
        let is_protected = |group: &str| {
            ["k8s.io", "kubernetes.io"]
                .iter()
                .any(|end| group == *end || group.ends_with(&format!(".{end}")))
        };
        if let Some(group) = group
            && is_protected(&group.value())
            && !self.annotations.iter().any(|pair| pair.key.value() == APPROVED)
        {
            faults.at(
                group,
                format!("groups of Kubernetes need the annotation {APPROVED} on the definition: `annotations(\"{APPROVED}\" = \"...\")`"),
            );
        }
    }

    /// Where the runtime is.
    pub(crate) fn runtime(&self) -> TokenStream {
        match &self.krate {
            Some(path) => path.to_token_stream(),
            None => quote::quote!(::kubeloom),
        }
    }
}

fn selectable(key: &Ident, input: ParseStream<'_>) -> syn::Result<FieldPath> {
    let path = if input.peek(syn::token::Paren) {
        let inside;
        parenthesized!(inside in input);
        let path = FieldPath::read(&inside)?;
        if !inside.is_empty() {
            return Err(inside.error("one path stands here; write the key again for another"));
        }
        path
    } else {
        values::equals(key, "a path: `selectable_field(.spec.color)`", input)?;
        FieldPath::read(input)?
    };
    path.plain("selectable fields are found by dots and names alone")?;
    Ok(path)
}

/// A key that is none of `known`.
pub(crate) fn unknown(key: &Ident, known: &[&str]) -> syn::Error {
    let name = key.to_string();
    let close = known
        .iter()
        .map(|one| (strsim::damerau_levenshtein(&name, one), one))
        .min()
        .filter(|(distance, one)| *distance <= one.len().max(name.len()) / 2);
    let guess = close
        .map(|(_, one)| format!("; did you mean `{one}`?"))
        .unwrap_or_default();
    let list = known
        .iter()
        .map(|one| format!("`{one}`"))
        .collect::<Vec<_>>()
        .join(", ");
    syn::Error::new(
        key.span(),
        format!("there is no key `{name}`{guess}\nthe keys are {list}"),
    )
}

/// Leaves what belongs to an item that cannot be read.
fn skip_item(input: ParseStream<'_>) {
    while !input.is_empty() && !input.peek(Token![,]) {
        if input.parse::<TokenTree>().is_err() {
            return;
        }
    }
}

/// Items between commas.
pub(crate) fn list<T>(
    key: &Ident,
    example: &str,
    input: ParseStream<'_>,
    item: fn(ParseStream<'_>) -> syn::Result<T>,
) -> syn::Result<(Vec<T>, Span)> {
    if !input.peek(syn::token::Paren) {
        return Err(syn::Error::new(
            key.span(),
            format!("`{key}` takes a list: `{example}`"),
        ));
    }
    let inside;
    let parens = parenthesized!(inside in input);
    let all = Punctuated::<T, Token![,]>::parse_terminated_with(&inside, item)?;
    if all.is_empty() {
        return Err(syn::Error::new(
            key.span(),
            format!("`{key}` is empty: `{example}`"),
        ));
    }
    Ok((all.into_iter().collect(), parens.span.join()))
}
