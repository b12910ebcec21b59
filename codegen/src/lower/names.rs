//! The one table between names on the wire and names in Rust.

use std::collections::BTreeSet;

use crate::ir::{RustName, WireName};

/// Words that cannot be identifiers in any edition up to 2024, raw or not: all get a trailing underscore.
const KEYWORDS: &[&str] = &[
    "Self", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do",
    "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop",
    "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static",
    "struct", "super", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual",
    "where", "while", "yield",
];

/// Names of the prelude that emitted code relies on: a type of such a name gets a trailing underscore.
const PRELUDE: &[&str] = &[
    "Box",
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "Drop",
    "Eq",
    "Err",
    "Fn",
    "FnMut",
    "FnOnce",
    "From",
    "Into",
    "Iterator",
    "None",
    "Ok",
    "Option",
    "PartialEq",
    "Result",
    "Send",
    "Sized",
    "Some",
    "String",
    "Sync",
    "Vec",
];

/// Names that are taken within some scope.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    taken: BTreeSet<RustName>,
}

impl Scope {
    /// A scope in which some names are taken.
    pub(crate) fn with(taken: &[&str]) -> Self {
        Self {
            taken: taken
                .iter()
                .map(|name| RustName::new_unchecked((*name).to_owned()))
                .collect(),
        }
    }

    /// Whether a name is taken.
    pub(crate) fn has(&self, name: &RustName) -> bool {
        self.taken.contains(name)
    }

    /// Takes a name, or the first of `name2`, `name3`, ... (`name_2` for snake case) that is free.
    pub(crate) fn take(&mut self, name: RustName) -> RustName {
        let snake = name
            .as_str()
            .starts_with(|first: char| !first.is_ascii_uppercase());
        let mut candidate = name.clone();
        let mut number = 2_u32;
        while !self.taken.insert(candidate.clone()) {
            let separator = if snake && !name.as_str().ends_with('_') {
                "_"
            } else {
                ""
            };
            let name = if snake {
                name.as_str()
            } else {
                name.as_str().trim_end_matches('_')
            };
            candidate = RustName::new_unchecked(format!("{name}{separator}{number}"));
            number += 1;
        }
        candidate
    }
}

/// The words of a name, in lower case.
///
/// A run of capitals is one word, also if an `s` of a plural follows: `podCIDRs` is `pod`, `cidrs`. The last capital of a
/// run that goes on in lower case starts the next word: `IPFamily` is `ip`, `family`. Digits belong to the word before;
/// a `V` before them is that word: `openAPIV3Schema` is `open`, `api`, `v3`, `schema`.
fn words(name: &str) -> Vec<String> {
    let chars: Vec<char> = name.chars().collect();
    let mut words = vec![String::new()];
    let mut index = 0;
    while index < chars.len() {
        let c = chars[index];
        if !c.is_ascii_alphanumeric() {
            words.push(String::new());
            index += 1;
        } else if c.is_ascii_uppercase() {
            let run = chars[index..]
                .iter()
                .take_while(|c| c.is_ascii_uppercase())
                .count();
            let after = &chars[index + run..];
            let plural =
                run > 1 && after.first() == Some(&'s') && !after.get(1).is_some_and(char::is_ascii_lowercase);
            let word = match after.first() {
                Some('s') if plural => run + 1,
                Some(next) if next.is_ascii_lowercase() && run > 1 => run - 1,
                Some(next) if next.is_ascii_digit() && run > 1 && chars[index + run - 1] == 'V' => run - 1,
                _ => run,
            };
            words.push(
                chars[index..index + word]
                    .iter()
                    .collect::<String>()
                    .to_ascii_lowercase(),
            );
            index += word;
            if plural {
                words.push(String::new());
            }
        } else {
            if let Some(last) = words.last_mut() {
                last.push(c);
            }
            index += 1;
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// An identifier: `fallback` if there is no sign left, with an underscore if it would be a keyword or reserved.
pub(crate) fn valid(mut name: String, fallback: &str, reserved: &[&str]) -> RustName {
    if name.is_empty() {
        name.push_str(fallback);
    }
    if name.starts_with(|first: char| first.is_ascii_digit()) {
        name.insert(0, '_');
    }
    if KEYWORDS.contains(&name.as_str()) || reserved.contains(&name.as_str()) {
        name.push('_');
    }
    RustName::new_unchecked(name)
}

/// A field, method or module: `clusterIPs` is `cluster_ips`, `type` is `type_`.
pub(crate) fn snake(name: &str) -> RustName {
    valid(words(name).join("_"), "field", &[])
}

/// A type: capitals stay as they are, so that `APIService` is `APIService`.
pub(crate) fn type_name(name: &str) -> RustName {
    valid(pascal(name), "Type", PRELUDE)
}

/// The name with its first letter, and those behind other signs, in upper case.
pub(crate) fn pascal(name: &str) -> String {
    let mut out = String::new();
    let mut upper = true;
    for c in name.chars() {
        match c.is_ascii_alphanumeric() {
            true if upper => out.extend(c.to_uppercase()),
            true => out.push(c),
            false => {}
        }
        upper = !c.is_ascii_alphanumeric();
    }
    out
}

/// `CoreV1` of `core_v1`.
pub(crate) fn client_name(module: &RustName) -> RustName {
    valid(
        heck::ToUpperCamelCase::to_upper_camel_case(module.as_str()),
        "Client",
        PRELUDE,
    )
}

/// `CoreV1Informers` of `core_v1`.
pub(crate) fn informers_name(module: &RustName) -> RustName {
    let name = heck::ToUpperCamelCase::to_upper_camel_case(module.as_str());
    valid(format!("{name}Informers"), "Informers", PRELUDE)
}

/// The method for a plural: it is parted where the words of the kind are (`configmaps` of `ConfigMap` is `config_maps`).
pub(crate) fn plural(plural: &WireName, kind: &WireName) -> RustName {
    let mut words = words(kind.as_str());
    words.pop();
    let mut rest = plural.as_str();
    let mut parts = Vec::new();
    for word in &words {
        match rest.strip_prefix(word.as_str()) {
            Some(below) if !below.is_empty() => {
                parts.push(word.as_str());
                rest = below;
            }
            _ => return snake(plural.as_str()),
        }
    }
    parts.push(rest);
    snake(&parts.join("_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields() {
        for (wire, rust) in [
            ("targetWWNs", "target_wwns"),
            ("podCIDRs", "pod_cidrs"),
            ("podCIDR", "pod_cidr"),
            ("hostIPs", "host_ips"),
            ("hostIPC", "host_ipc"),
            ("clusterIPs", "cluster_ips"),
            ("externalIPs", "external_ips"),
            ("nonResourceURLs", "non_resource_urls"),
            ("serverAddressByClientCIDRs", "server_address_by_client_cidrs"),
            ("setHostnameAsFQDN", "set_hostname_as_fqdn"),
            ("JSONPath", "json_path"),
            ("openAPIV3Schema", "open_api_v3_schema"),
            ("clientIPTimeout", "client_ip_timeout"),
            ("IDsOfAll", "ids_of_all"),
            ("fieldsV1", "fields_v1"),
            ("scaleIO", "scale_io"),
            ("type", "type_"),
            ("continue", "continue_"),
            ("gen", "gen_"),
            ("self", "self_"),
            ("crate", "crate_"),
            ("$ref", "ref_"),
            ("$schema", "schema"),
            ("x-kubernetes-list-type", "x_kubernetes_list_type"),
            ("jwks-uri", "jwks_uri"),
            ("a.b", "a_b"),
            ("a\"b", "a_b"),
            ("a/b", "a_b"),
            ("-XX", "xx"),
            ("3scale", "_3scale"),
            ("", "field"),
            ("-", "field"),
            ("größe", "gr_e"),
            ("日本", "field"),
            ("r#type", "r_type"),
            ("a\n//", "a"),
        ] {
            assert_eq!(snake(wire).as_str(), rust, "{wire:?}");
        }
    }

    #[test]
    fn types() {
        for (wire, rust) in [
            ("Pod", "Pod"),
            ("APIService", "APIService"),
            ("ArgoCDExport", "ArgoCDExport"),
            ("JSONSchemaProps", "JSONSchemaProps"),
            ("postgresql", "Postgresql"),
            ("Foo_Bar", "FooBar"),
            ("Self", "Self_"),
            ("Option", "Option_"),
            ("Cluster", "Cluster"),
            ("9Lives", "_9Lives"),
            ("", "Type"),
        ] {
            assert_eq!(type_name(wire).as_str(), rust, "{wire:?}");
        }
    }

    #[test]
    fn plurals() {
        for (wire, kind, rust) in [
            ("pods", "Pod", "pods"),
            ("configmaps", "ConfigMap", "config_maps"),
            ("networkpolicies", "NetworkPolicy", "network_policies"),
            ("endpoints", "Endpoints", "endpoints"),
            ("endpointslices", "EndpointSlice", "endpoint_slices"),
            ("apiservices", "APIService", "api_services"),
            ("csidrivers", "CSIDriver", "csi_drivers"),
            ("ingressclasses", "IngressClass", "ingress_classes"),
            (
                "customresourcedefinitions",
                "CustomResourceDefinition",
                "custom_resource_definitions",
            ),
            ("people", "HumanBeing", "people"),
            ("types", "Type", "types"),
            ("type", "Type", "type_"),
        ] {
            assert_eq!(
                plural(&WireName::new(wire), &WireName::new(kind)).as_str(),
                rust,
                "{wire}"
            );
        }
    }

    #[test]
    fn names_that_only_differ_in_wire_form_stay_apart() {
        let mut scope = Scope::default();
        let names = ["hostAliases", "host_aliases", "host-aliases", "type", "Type"];
        let taken: Vec<_> = names
            .iter()
            .map(|name| scope.take(snake(name)).as_str().to_owned())
            .collect();
        assert_eq!(
            taken,
            [
                "host_aliases",
                "host_aliases_2",
                "host_aliases_3",
                "type_",
                "type_2"
            ]
        );
        let mut scope = Scope::with(&["Foo"]);
        assert_eq!(scope.take(type_name("foo")).as_str(), "Foo2");
    }
}
