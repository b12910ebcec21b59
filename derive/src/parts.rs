//! Keys of several parts: `scale`, `printer_column`, `rule`.

use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Ident, LitInt, LitStr, Token};

use crate::keys::unknown;
use crate::values::{FieldPath, equals, flag, text};

/// The parts of a key that has several.
struct Part<'a> {
    name: &'a Ident,
    input: ParseStream<'a>,
}

impl Part<'_> {
    fn path(&self) -> syn::Result<FieldPath> {
        equals(
            self.name,
            &format!("a path: `{} = .spec.replicas`", self.name),
            self.input,
        )?;
        FieldPath::read(self.input)
    }

    fn ident(&self, of: &[&str]) -> syn::Result<Ident> {
        let list = of.join(", ");
        equals(self.name, &format!("one of {list}"), self.input)?;
        let found = self.input.call(Ident::parse_any)?;
        if of.contains(&found.to_string().as_str()) {
            return Ok(found);
        }
        Err(syn::Error::new(
            found.span(),
            format!("`{}` is one of {list}", self.name),
        ))
    }
}

/// Reads what stands in parentheses before the parts.
type First<'a> = &'a mut dyn FnMut(ParseStream<'_>) -> syn::Result<()>;

/// Reads `key(part, part)`; parts that are none of `known` are refused, and so is one that is there twice.
fn parts(
    key: &Ident,
    known: &[&str],
    input: ParseStream<'_>,
    mut read: impl FnMut(&str, Part<'_>) -> syn::Result<()>,
    mut first: Option<First<'_>>,
) -> syn::Result<()> {
    if !input.peek(syn::token::Paren) {
        let parts = known.join(", ");
        return Err(syn::Error::new(
            key.span(),
            format!("`{key}` takes parts in parentheses: {parts}"),
        ));
    }
    let inside;
    syn::parenthesized!(inside in input);
    let mut seen: Vec<String> = Vec::new();
    while !inside.is_empty() {
        if let Some(first) = first.take() {
            first(&inside)?;
        } else {
            let name = inside.call(Ident::parse_any)?;
            let text = name.to_string();
            if !known.contains(&text.as_str()) {
                return Err(unknown(&name, known));
            }
            if seen.contains(&text) {
                return Err(syn::Error::new(name.span(), format!("`{text}` is written twice")));
            }
            read(
                &text,
                Part {
                    name: &name,
                    input: &inside,
                },
            )?;
            seen.push(text);
        }
        if !inside.is_empty() {
            inside.parse::<Token![,]>()?;
        }
    }
    Ok(())
}

fn missing(key: &Ident, part: &str) -> syn::Error {
    syn::Error::new(key.span(), format!("`{key}` needs `{part}`"))
}

/// `scale(spec_replicas_path = ..., status_replicas_path = ..., label_selector_path = ...)`
pub(crate) struct Scale {
    pub(crate) spec: FieldPath,
    pub(crate) status: FieldPath,
    pub(crate) selector: Option<FieldPath>,
}

impl Scale {
    pub(crate) fn read(key: &Ident, input: ParseStream<'_>) -> syn::Result<Self> {
        let known = [
            "spec_replicas_path",
            "status_replicas_path",
            "label_selector_path",
        ];
        let (mut spec, mut status, mut selector) = (None, None, None);
        parts(
            key,
            &known,
            input,
            |name, part| {
                let path = part.path()?;
                match name {
                    "spec_replicas_path" => {
                        path.below(&[".spec"])?;
                        spec = Some(path);
                    }
                    "status_replicas_path" => {
                        path.below(&[".status"])?;
                        status = Some(path);
                    }
                    _ => {
                        path.below(&[".status", ".spec"])?;
                        selector = Some(path);
                    }
                }
                Ok(())
            },
            None,
        )?;
        Ok(Self {
            spec: spec.ok_or_else(|| missing(key, known[0]))?,
            status: status.ok_or_else(|| missing(key, known[1]))?,
            selector,
        })
    }
}

/// `printer_column(name = "...", json_path = ...)`
pub(crate) struct Column {
    pub(crate) name: LitStr,
    pub(crate) path: FieldPath,
    pub(crate) type_: Option<Ident>,
    pub(crate) format: Option<LitStr>,
    pub(crate) description: Option<LitStr>,
    pub(crate) priority: Option<LitInt>,
}

impl Column {
    pub(crate) fn read(key: &Ident, input: ParseStream<'_>) -> syn::Result<Self> {
        let known = ["name", "json_path", "type", "format", "description", "priority"];
        let (mut name, mut path, mut type_) = (None, None, None);
        let (mut format, mut description, mut priority) = (None, None, None);
        parts(
            key,
            &known,
            input,
            |which, part| {
                match which {
                    "name" => name = Some(text(part.name, part.input)?),
                    "json_path" => path = Some(part.path()?),
                    "type" => type_ = Some(part.ident(&["string", "integer", "number", "boolean", "date"])?),
                    "format" => format = Some(text(part.name, part.input)?),
                    "description" => description = Some(text(part.name, part.input)?),
                    _ => priority = Some(number(&part)?),
                }
                Ok(())
            },
            None,
        )?;
        Ok(Self {
            name: name.ok_or_else(|| missing(key, known[0]))?,
            path: path.ok_or_else(|| missing(key, known[1]))?,
            type_,
            format,
            description,
            priority,
        })
    }
}

fn number(part: &Part<'_>) -> syn::Result<LitInt> {
    equals(part.name, "a number: `priority = 1`", part.input)?;
    let literal: LitInt = part.input.parse()?;
    literal.base10_parse::<i32>()?;
    Ok(literal)
}

/// `rule("...", message = "...")`
pub(crate) struct Rule {
    pub(crate) rule: LitStr,
    pub(crate) message: Option<LitStr>,
    pub(crate) message_expression: Option<LitStr>,
    pub(crate) reason: Option<Ident>,
    pub(crate) field_path: Option<FieldPath>,
    pub(crate) optional_old_self: bool,
}

impl Rule {
    pub(crate) fn read(key: &Ident, input: ParseStream<'_>) -> syn::Result<Self> {
        let known = [
            "message",
            "message_expression",
            "reason",
            "field_path",
            "optional_old_self",
        ];
        let reasons = [
            "FieldValueInvalid",
            "FieldValueForbidden",
            "FieldValueRequired",
            "FieldValueDuplicate",
        ];
        let mut rule = None;
        let (mut message, mut message_expression, mut reason) = (None, None, None);
        let (mut field_path, mut optional_old_self) = (None, false);
        let mut first = |input: ParseStream<'_>| {
            if !input.peek(LitStr) {
                return Err(input.error("the rule comes first: `rule(\"self.spec.replicas <= 10\")`"));
            }
            rule = Some(input.parse::<LitStr>()?);
            Ok(())
        };
        parts(
            key,
            &known,
            input,
            |name, part| {
                match name {
                    "message" => message = Some(text(part.name, part.input)?),
                    "message_expression" => message_expression = Some(text(part.name, part.input)?),
                    "reason" => reason = Some(part.ident(&reasons)?),
                    "field_path" => field_path = Some(part.path()?),
                    _ => {
                        flag(part.name, part.input)?;
                        optional_old_self = true;
                    }
                }
                Ok(())
            },
            Some(&mut first),
        )?;
        let rule = rule.ok_or_else(|| missing(key, "a rule in CEL"))?;
        if rule.value().trim().is_empty() {
            return Err(syn::Error::new(rule.span(), "the rule is empty"));
        }
        if rule.value().contains('\n') && message.is_none() {
            return Err(syn::Error::new(
                rule.span(),
                "servers ask for a `message` where the rule has several lines",
            ));
        }
        Ok(Self {
            rule,
            message,
            message_expression,
            reason,
            field_path,
            optional_old_self,
        })
    }
}
