//! `kubeloom get`: objects as the server prints them.

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use kubeloom::RestClient;
use kubeloom::discovery::{MapError, ResourceArg, RestMapper, RestMapping};
use kubeloom::dynamic::{DynamicApi, DynamicClient, DynamicList, DynamicObject};
use kubeloom::meta::Table;
use kubeloom::wire::{Format, Wire};
use serde_json::{Value, json};

use super::{ClusterArgs, columns, say};
use crate::diagnostic::Report;
use crate::live;

#[derive(Debug, Args)]
pub(super) struct Get {
    /// A resource: pods, po, deployments.apps, deployments.v1.apps.
    resource: String,
    /// One object; all if left out.
    name: Option<String>,
    /// The namespace; that of the context if left out.
    #[arg(short, long, conflicts_with = "all_namespaces")]
    namespace: Option<String>,
    /// The objects of all namespaces.
    #[arg(short = 'A', long, conflicts_with = "name")]
    all_namespaces: bool,
    /// The objects themselves, their names, or more columns.
    #[arg(short, long, value_enum)]
    output: Option<Output>,
    /// A label selector.
    #[arg(short = 'l', long, default_value = "", value_name = "LABELS")]
    selector: String,
    /// Leaves out the line with the names of the columns.
    #[arg(long)]
    no_headers: bool,
    #[command(flatten)]
    cluster: ClusterArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Output {
    /// As JSON.
    Json,
    /// As YAML.
    Yaml,
    /// One name per line, with its kind.
    Name,
    /// All columns.
    Wide,
}

impl Get {
    pub(super) fn run(&self) -> Result<ExitCode, Report> {
        let text = live::block_on(&self.cluster.cluster(), async |client| self.fetch(&client).await)?;
        say(&text);
        Ok(ExitCode::SUCCESS)
    }

    async fn fetch(&self, client: &RestClient) -> Result<String, Report> {
        let mapper = RestMapper::new(client);
        let mapping = self
            .mapping(&mapper)
            .await
            .map_err(|error| live::failed(&error))?;
        let namespace = self
            .namespace
            .as_deref()
            .unwrap_or_else(|| client.default_namespace());
        let api = DynamicClient::with_mapper(client, mapper).mapping(&mapping);
        let api = if self.all_namespaces {
            api
        } else {
            api.namespace_if_any(namespace)
        };
        match self.output {
            None | Some(Output::Wide) => {
                let table = self.table(&api).await.map_err(|error| live::failed(&error))?;
                if table.rows.is_empty() {
                    eprintln!("No resources found{}", place(api.target().namespace.as_deref()));
                    return Ok(String::new());
                }
                Ok(self.render_table(&table, self.all_namespaces && mapping.namespaced))
            }
            Some(output) => {
                let found = self.objects(&api).await.map_err(|error| live::failed(&error))?;
                render_objects(found, output).map_err(|error| live::failed(&error))
            }
        }
    }

    /// The resource that is meant; says what else the short name could have meant.
    async fn mapping(&self, mapper: &RestMapper) -> Result<RestMapping, MapError> {
        let resolved = mapper.resolve(&self.resource).await?;
        let names = mapper.names().await?;
        let arg = ResourceArg::new(&self.resource);
        let resource = &resolved.mapping.resource;
        let is_short = arg.name() != resource.resource && names.singular(resource) != Some(arg.name());
        if is_short && !resolved.hidden.is_empty() {
            let others: Vec<String> = resolved
                .hidden
                .iter()
                .map(|other| other.resource.to_string())
                .collect();
            eprintln!(
                "warning: {} is {resource}; it could also mean {}",
                arg.name(),
                others.join(", ")
            );
        }
        Ok(resolved.mapping)
    }

    async fn table(&self, api: &DynamicApi) -> Result<Table, kubeloom::Error> {
        match &self.name {
            Some(name) => api.get_table(name).await,
            None => api.list_table().labels(&self.selector).await,
        }
    }

    async fn objects(&self, api: &DynamicApi) -> Result<Found, kubeloom::Error> {
        match &self.name {
            Some(name) => Ok(Found::One(Box::new(api.get(name).await?))),
            None => api
                .list()
                .labels(&self.selector)
                .all_pages()
                .await
                .map(Found::Many),
        }
    }

    fn render_table(&self, table: &Table, with_namespace: bool) -> String {
        let wide = self.output == Some(Output::Wide);
        let shown: Vec<usize> = (0..table.column_definitions.len())
            .filter(|&index| wide || table.column_definitions[index].priority == 0)
            .collect();
        let header = shown
            .iter()
            .map(|&index| table.column_definitions[index].name.as_str().to_uppercase());
        let namespace = |text: &str| with_namespace.then(|| text.to_owned());
        let mut rows: Vec<Vec<String>> = Vec::new();
        if !self.no_headers {
            rows.push(namespace("NAMESPACE").into_iter().chain(header).collect());
        }
        for row in &table.rows {
            let object: Value = row.object.parse().unwrap_or_default();
            let own = object
                .pointer("/metadata/namespace")
                .and_then(Value::as_str)
                .unwrap_or_default();
            let cells = shown.iter().map(|&index| {
                let cell = row.cells.get(index).and_then(|cell| cell.parse().ok());
                cell_text(&cell.unwrap_or_default())
            });
            rows.push(namespace(own).into_iter().chain(cells).collect());
        }
        columns::render(&rows)
    }
}

/// What was found.
enum Found {
    One(Box<DynamicObject>),
    Many(DynamicList),
}

fn place(namespace: Option<&str>) -> String {
    namespace
        .map(|namespace| format!(" in {namespace} namespace."))
        .unwrap_or_default()
}

/// A cell on one line, without anything that a terminal would act on.
fn cell_text(cell: &Value) -> String {
    let text = match cell {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    match text.split_once(['\n', '\r']) {
        Some((first, _)) => format!("{}...", printable(first)),
        None => printable(&text),
    }
}

fn printable(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect()
}

fn render_objects(found: Found, output: Output) -> Result<String, String> {
    if output == Output::Name {
        return Ok(match &found {
            Found::One(object) => name_line(object),
            Found::Many(list) => list.items.iter().map(name_line).collect(),
        });
    }
    let value = match found {
        Found::One(object) => shown(*object)?,
        Found::Many(list) => {
            let items = list
                .items
                .into_iter()
                .map(shown)
                .collect::<Result<Vec<Value>, String>>()?;
            json!({"apiVersion": "v1", "kind": "List", "metadata": {"resourceVersion": ""}, "items": items})
        }
    };
    match output {
        Output::Yaml => yaml(value),
        _ => indented(&value),
    }
}

/// `pod/web-0`, `deployment.apps/web`.
fn name_line(object: &DynamicObject) -> String {
    let kind = object.group_version_kind();
    let group = if kind.group.is_empty() {
        String::new()
    } else {
        format!(".{}", kind.group)
    };
    format!("{}{group}/{}\n", kind.kind.to_lowercase(), object.metadata.name)
}

/// The object without its managed fields, which are for machines.
fn shown(mut object: DynamicObject) -> Result<Value, String> {
    object.metadata.managed_fields.clear();
    serde_json::to_value(&object).map_err(|error| error.to_string())
}

/// JSON with four spaces, as kubectl has it.
fn indented(value: &Value) -> Result<String, String> {
    let mut out = Vec::new();
    let formatter = serde_json::ser::PrettyFormatter::with_indent(b"    ");
    let mut writer = serde_json::Serializer::with_formatter(&mut out, formatter);
    serde::Serialize::serialize(value, &mut writer).map_err(|error| error.to_string())?;
    out.push(b'\n');
    String::from_utf8(out).map_err(|error| error.to_string())
}

fn yaml(value: Value) -> Result<String, String> {
    let body = serde_json::to_vec(&value).map_err(|error| error.to_string())?;
    let object = DynamicObject::decode(Format::Json, &body).map_err(|error| error.to_string())?;
    let text = object.encode(Format::Yaml).map_err(|error| error.to_string())?;
    String::from_utf8(text).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        command: Get,
    }

    fn get(flags: &str) -> Result<Get, clap::Error> {
        Line::try_parse_from(std::iter::once("test").chain(flags.split_whitespace())).map(|line| line.command)
    }

    fn table() -> Table {
        let body = json!({"kind": "Table", "columnDefinitions": [
                {"name": "Name", "type": "string", "format": "name"}, {"name": "Size", "type": "integer"}, {"name": "Node Name", "type": "string", "priority": 1}],
            "rows": [
                {"cells": ["a", 3, "n1"], "object": {"metadata": {"name": "a", "namespace": "web"}}},
                {"cells": ["evil\u{1b}[2J", null, "two\nlines"], "object": {"metadata": {"namespace": "other"}}},
                {"cells": ["short"], "object": null}]});
        Table::decode(Format::Json, body.to_string().as_bytes()).unwrap()
    }

    #[test]
    fn tables_are_printed_as_kubectl_does() {
        let check = |flags: &str, with_namespace: bool, expected: &str| {
            assert_eq!(
                get(flags).unwrap().render_table(&table(), with_namespace),
                expected,
                "{flags}"
            );
        };
        check(
            "x",
            false,
            "NAME       SIZE\na          3\nevil\u{fffd}[2J   \nshort      \n",
        );
        check(
            "x -o wide -A",
            true,
            "NAMESPACE   NAME       SIZE   NODE NAME\n\
             web         a          3      n1\n\
             other       evil\u{fffd}[2J          two...\n            \
             short             \n",
        );
        check(
            "x --no-headers",
            false,
            "a          3\nevil\u{fffd}[2J   \nshort      \n",
        );
    }

    #[test]
    fn flags_that_contradict_each_other_are_refused() {
        for flags in ["", "pods a -A", "pods -n web -A", "pods -o table"] {
            assert!(get(flags).is_err(), "{flags}");
        }
        get("pods a -n web -o yaml").unwrap();
    }

    fn object(group_version: &str, kind: &str) -> DynamicObject {
        let mut object = DynamicObject::new(group_version, kind, "a").within("web");
        object.metadata.managed_fields = vec![kubeloom::meta::ManagedFieldsEntry::default()];
        object.set("/data/x", "y").unwrap();
        object
    }

    #[test]
    fn objects_are_printed_without_managed_fields() {
        let check = |found: Found, output: Output, expected: &str| {
            assert_eq!(render_objects(found, output).unwrap(), expected);
        };
        let list = || DynamicList {
            items: vec![object("v1", "ConfigMap"), object("apps/v1", "Deployment")],
            ..DynamicList::default()
        };
        check(
            Found::Many(list()),
            Output::Name,
            "configmap/a\ndeployment.apps/a\n",
        );
        check(
            Found::One(Box::new(object("v1", "ConfigMap"))),
            Output::Json,
            "{\n    \"apiVersion\": \"v1\",\n    \"data\": {\n        \"x\": \"y\"\n    },\n    \"kind\": \"ConfigMap\",\n    \"metadata\": {\n        \"name\": \"a\",\n        \"namespace\": \"web\"\n    }\n}\n",
        );
        let yaml = render_objects(Found::One(Box::new(object("v1", "ConfigMap"))), Output::Yaml).unwrap();
        let read = DynamicObject::decode(Format::Yaml, yaml.as_bytes()).unwrap();
        assert_eq!(
            (read.kind.as_str(), read.data["data"]["x"].as_str()),
            ("ConfigMap", Some("y"))
        );
        let json = render_objects(Found::Many(list()), Output::Json).unwrap();
        let read: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(
            (read["kind"].as_str(), read["items"][1]["kind"].as_str()),
            (Some("List"), Some("Deployment"))
        );
    }
}
