//! `#[derive(Resource)]`: a Kubernetes kind of a Rust struct. Re-exported, with all that it stands on, by `kubeloom` behind the
//! feature `derive`.
//!
//! | module | what it does |
//! |---|---|
//! | `keys` | the keys of `#[resource(...)]`, read one by one; what is wrong is collected |
//! | `values` | what stands behind a key: texts, paths, lists |
//! | `parts` | keys of several parts |
//! | `names` | the rules of names, and the plural of a kind |
//! | `input` | the struct |
//! | `emit` | the implementations |
//!
//! Every fault is told at once and where it is, and the implementations are written all the same, so that no other code
//! fails for want of them.

mod emit;
mod input;
mod keys;
mod names;
mod parts;
#[cfg(test)]
mod tests;
mod values;

use proc_macro::TokenStream;
use syn::DeriveInput;

/// Makes a Kubernetes kind of a struct: a typed client, informers and listers as generated kinds have them, and `crd()`,
/// its CustomResourceDefinition.
///
/// The struct is the object as it is: `metadata: ObjectMeta`, and what else the kind has, which is `spec` and `status` as a
/// rule. It has no fields for `apiVersion` and `kind`. It also derives `Clone`, `Debug`, `Default`, serde's `Serialize` and
/// `Deserialize`, and `schemars::JsonSchema`.
///
/// ```
/// use kubeloom::meta::ObjectMeta;
/// use kubeloom::{Api, Resource, RestClient};
/// use schemars::JsonSchema;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Resource, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
/// #[resource(
///     group = "demo.example.com",
///     version = "v1",
///     namespaced,
///     short_names("ws"),
///     status,
///     scale(spec_replicas_path = .spec.replicas, status_replicas_path = .status.replicas),
///     printer_column(name = "Domain", json_path = .spec.domain),
///     rule("self.spec.replicas <= 10", message = "at most 10 replicas")
/// )]
/// struct Website {
///     metadata: ObjectMeta,
///     spec: WebsiteSpec,
///     status: Option<WebsiteStatus>,
/// }
///
/// #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
/// struct WebsiteSpec {
///     domain: String,
///     replicas: i32,
/// }
///
/// #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
/// struct WebsiteStatus {
///     replicas: i32,
/// }
///
/// let definition = Website::crd()?;
/// assert_eq!(definition.metadata.name, "websites.demo.example.com");
///
/// async fn domains(client: &RestClient) -> Result<Vec<String>, kubeloom::Error> {
///     let websites: Api<Website> = client.namespaced("web");
///     Ok(websites.list().await?.into_iter().map(|website| website.spec.domain).collect())
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Keys
///
/// | key | meaning |
/// |---|---|
/// | `group = "demo.example.com"` | the API group; required |
/// | `version = "v1"` | the version; required |
/// | `namespaced`, `cluster` | the scope; one of them is required |
/// | `kind = "Website"` | the kind; the name of the struct without it |
/// | `plural = "websites"` | the plural; made of the kind without it |
/// | `singular = "website"` | the singular; the kind in lower case without it |
/// | `short_names("ws", ...)` | short for the plural |
/// | `categories("all", ...)` | groups that it is shown with |
/// | `status` | the field `status` is a subresource: `update_status` and its like are there |
/// | `scale(spec_replicas_path = .spec.replicas, status_replicas_path = .status.replicas, label_selector_path = .status.selector)` | the number of replicas is a subresource; the last is optional |
/// | `printer_column(name = "Age", json_path = .metadata.creationTimestamp, type = date, format = "...", description = "...", priority = 1)` | a column of `kubectl get`; all but the first two are optional, and the type is that of the field |
/// | `selectable_field(.spec.color)` | field selectors may name it |
/// | `rule("CEL", message = "...", message_expression = "CEL", reason = FieldValueForbidden, field_path = .spec.replicas, optional_old_self)` | a rule over the whole object; all but the first are optional |
/// | `deprecated`, `deprecated = "warning"` | clients are warned |
/// | `served = false` | clients may not use this version |
/// | `storage = false` | objects are stored in another version |
/// | `labels("key" = "value", ...)`, `annotations(...)` | of the definition |
/// | `without_crd` | the definition is somebody else's: there is no `crd()`, and no `JsonSchema` is asked for |
/// | `crate = path::to::kubeloom` | where the runtime is |
///
/// `printer_column`, `selectable_field` and `rule` may be there several times. Paths have the names of fields in JSON; one
/// that is more than dots and names is a text: `json_path = ".status.conditions[?(@.type==\"Ready\")].status"`.
///
/// Rules on types and fields below the root, and what else only servers know, are attributes of `JsonSchema`:
/// `#[schemars(transform = kubeloom::crd::schema::rule("self != ''"))]`.
#[proc_macro_derive(Resource, attributes(resource))]
pub fn derive_resource(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as DeriveInput);
    expand(&input).into()
}

fn expand(input: &DeriveInput) -> proc_macro2::TokenStream {
    let mut faults = keys::Faults::default();
    let keys = keys::Keys::read(&input.attrs, &input.ident, &mut faults);
    let root = input::Root::read(input, &keys, &mut faults);
    emit::all(&root, &keys, faults)
}
