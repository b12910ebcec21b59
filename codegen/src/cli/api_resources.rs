//! `kubeloom api-resources`.

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use kubeloom::discovery::{ApiResource, Discovered};

use super::api_versions::{complain, discover, name};
use super::{ClusterArgs, columns, say};
use crate::diagnostic::Report;

#[derive(Debug, Default, Args)]
pub(super) struct ApiResources {
    /// Only resources that live in namespaces; with =false only those that do not.
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL")]
    namespaced: Option<bool>,
    /// Only resources that offer all of these verbs.
    #[arg(long, value_delimiter = ',', value_name = "VERBS")]
    verbs: Vec<String>,
    /// Only resources of this group; the empty one is the core group.
    #[arg(long, value_name = "GROUP")]
    api_group: Option<String>,
    /// Only resources that are in all of these categories.
    #[arg(long, value_delimiter = ',', value_name = "CATEGORIES")]
    categories: Vec<String>,
    /// More columns, or names alone.
    #[arg(short, long, value_enum)]
    output: Option<Output>,
    /// Sorts by this column and not by group and name.
    #[arg(long, value_enum, value_name = "COLUMN")]
    sort_by: Option<SortBy>,
    /// Leaves out the line with the names of the columns.
    #[arg(long)]
    no_headers: bool,
    #[command(flatten)]
    cluster: ClusterArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Output {
    /// Verbs and categories too.
    Wide,
    /// One name per line, with its group.
    Name,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SortBy {
    /// The plural.
    Name,
    /// The kind.
    Kind,
}

/// A resource and where it is listed.
struct Row<'a> {
    group: &'a str,
    version: &'a str,
    resource: &'a ApiResource,
}

impl ApiResources {
    pub(super) fn run(&self) -> Result<ExitCode, Report> {
        let discovered = discover(&self.cluster)?;
        say(&self.render(&discovered));
        Ok(complain(&discovered))
    }

    fn render(&self, discovered: &Discovered) -> String {
        let rows = discovered.preferred_resources();
        let rows = rows.map(|(group, version, resource)| Row {
            group: &group.name,
            version: &version.version,
            resource,
        });
        let mut rows: Vec<Row<'_>> = rows.filter(|row| self.shows(row)).collect();
        rows.sort_by(|one, two| self.key(one).cmp(&self.key(two)));
        if self.output == Some(Output::Name) {
            return rows.iter().map(|row| row.full_name() + "\n").collect();
        }
        let mut names = vec!["NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND"];
        if self.output == Some(Output::Wide) {
            names.extend(["VERBS", "CATEGORIES"]);
        }
        let header = names.into_iter().map(str::to_owned).collect();
        let header = (!self.no_headers).then_some(header);
        let cells: Vec<Vec<String>> = header
            .into_iter()
            .chain(rows.iter().map(|row| self.cells(row)))
            .collect();
        columns::render(&cells)
    }

    fn shows(&self, row: &Row<'_>) -> bool {
        let has_all = |own: &[String], wanted: &[String]| wanted.iter().all(|one| own.contains(one));
        let resource = row.resource;
        !resource.verbs.is_empty()
            && self.namespaced.is_none_or(|wanted| wanted == resource.namespaced)
            && self.api_group.as_ref().is_none_or(|wanted| wanted == row.group)
            && has_all(&resource.verbs, &self.verbs)
            && has_all(&resource.categories, &self.categories)
    }

    /// The name breaks ties.
    fn key<'a>(&self, row: &Row<'a>) -> (&'a str, &'a str) {
        let plural = row.resource.plural.as_str();
        match self.sort_by {
            None => (row.group, plural),
            Some(SortBy::Name) => (plural, plural),
            Some(SortBy::Kind) => (&row.resource.kind.kind, plural),
        }
    }

    fn cells(&self, row: &Row<'_>) -> Vec<String> {
        let resource = row.resource;
        let mut cells = vec![
            resource.plural.clone(),
            resource.short_names.join(","),
            name(row.group, row.version),
            resource.namespaced.to_string(),
            resource.kind.kind.clone(),
        ];
        if self.output == Some(Output::Wide) {
            cells.extend([resource.verbs.join(","), resource.categories.join(",")]);
        }
        cells
    }
}

impl Row<'_> {
    /// `pods`, `deployments.apps`.
    fn full_name(&self) -> String {
        let plural = &self.resource.plural;
        if self.group.is_empty() {
            plural.clone()
        } else {
            format!("{plural}.{}", self.group)
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use kubeloom::discovery::{ApiGroup, ApiVersion};
    use kubeloom::rest::GroupVersionKind;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        command: ApiResources,
    }

    fn resource(group: &str, plural: &str, kind: &str, namespaced: bool, more: [&str; 3]) -> ApiResource {
        let [verbs, short_names, categories] = more;
        let list = |text: &str| {
            text.split(',')
                .filter(|word| !word.is_empty())
                .map(str::to_owned)
                .collect()
        };
        ApiResource {
            plural: plural.to_owned(),
            kind: GroupVersionKind::new(group, "v1", kind),
            namespaced,
            verbs: list(verbs),
            short_names: list(short_names),
            categories: list(categories),
            ..ApiResource::default()
        }
    }

    fn discovered() -> Discovered {
        let group = |name: &str, versions: Vec<(&str, Vec<ApiResource>)>| ApiGroup {
            name: name.to_owned(),
            preferred: versions[0].0.to_owned(),
            versions: versions
                .into_iter()
                .map(|(version, resources)| ApiVersion {
                    version: version.to_owned(),
                    resources,
                    ..ApiVersion::default()
                })
                .collect(),
        };
        Discovered {
            groups: vec![
                group(
                    "",
                    vec![(
                        "v1",
                        vec![
                            resource("", "pods", "Pod", true, ["get,list", "po", "all"]),
                            resource("", "nodes", "Node", false, ["get,list", "no", ""]),
                            resource("", "silent", "Silent", true, ["", "", ""]),
                        ],
                    )],
                ),
                group(
                    "zeta",
                    vec![(
                        "v1",
                        vec![resource("zeta", "alphas", "Zebra", true, ["create", "", ""])],
                    )],
                ),
                group(
                    "apps",
                    vec![
                        (
                            "v1",
                            vec![resource(
                                "apps",
                                "deployments",
                                "Deployment",
                                true,
                                ["get,list,watch", "deploy,dp", "all,apps"],
                            )],
                        ),
                        (
                            "v1beta1",
                            vec![
                                resource("apps", "deployments", "Deployment", true, ["get", "", ""]),
                                resource("apps", "olds", "Old", true, ["get", "", ""]),
                            ],
                        ),
                    ],
                ),
            ],
            ..Discovered::default()
        }
    }

    fn check(flags: &str, expected: &str) {
        let line = Line::try_parse_from(std::iter::once("test").chain(flags.split_whitespace())).unwrap();
        assert_eq!(line.command.render(&discovered()), expected, "{flags}");
    }

    #[test]
    fn rows_are_those_of_kubectl() {
        check(
            "",
            "NAME          SHORTNAMES   APIVERSION     NAMESPACED   KIND\n\
             nodes         no           v1             false        Node\n\
             pods          po           v1             true         Pod\n\
             deployments   deploy,dp    apps/v1        true         Deployment\n\
             olds                       apps/v1beta1   true         Old\n\
             alphas                     zeta/v1        true         Zebra\n",
        );
        check(
            "-o wide --api-group apps --verbs list,watch",
            "NAME          SHORTNAMES   APIVERSION   NAMESPACED   KIND         VERBS            CATEGORIES\n\
             deployments   deploy,dp    apps/v1      true         Deployment   get,list,watch   all,apps\n",
        );
        check(
            "-o name",
            "nodes\npods\ndeployments.apps\nolds.apps\nalphas.zeta\n",
        );
        check(
            "--output=name --sort-by=name",
            "alphas.zeta\ndeployments.apps\nnodes\nolds.apps\npods\n",
        );
        check(
            "-o name --sort-by kind",
            "deployments.apps\nnodes\nolds.apps\npods\nalphas.zeta\n",
        );
        check("-o name --namespaced=false", "nodes\n");
        check(
            "-o name --namespaced",
            "pods\ndeployments.apps\nolds.apps\nalphas.zeta\n",
        );
        check("-o name --api-group=", "nodes\npods\n");
        check("-o name --categories all,apps", "deployments.apps\n");
        check("-o name --categories none", "");
        check(
            "--no-headers --namespaced=false",
            "nodes   no    v1    false   Node\n",
        );
    }

    #[test]
    fn what_is_no_column_or_form_is_refused() {
        for flags in ["-o json", "--sort-by verbs", "--namespaced=maybe"] {
            assert!(
                Line::try_parse_from(std::iter::once("test").chain(flags.split_whitespace())).is_err(),
                "{flags}"
            );
        }
    }
}
