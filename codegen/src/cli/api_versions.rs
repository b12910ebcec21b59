//! `kubeloom api-versions`.

use std::collections::BTreeSet;
use std::process::ExitCode;

use clap::Args;
use kubeloom::discovery::{Discovered, DiscoveryClient};

use super::{ClusterArgs, say};
use crate::diagnostic::Report;
use crate::live;

#[derive(Debug, Args)]
pub(super) struct ApiVersions {
    #[command(flatten)]
    cluster: ClusterArgs,
}

impl ApiVersions {
    pub(super) fn run(&self) -> Result<ExitCode, Report> {
        let discovered = discover(&self.cluster)?;
        say(&render(&discovered));
        Ok(complain(&discovered))
    }
}

/// What the cluster offers.
pub(super) fn discover(cluster: &ClusterArgs) -> Result<Discovered, Report> {
    live::block_on(&cluster.cluster(), async |client| {
        DiscoveryClient::new(&client)
            .discover()
            .await
            .map_err(|error| live::failed(&error))
    })
}

/// Says what could not be discovered; the exit code tells scripts that the output is not complete.
pub(super) fn complain(discovered: &Discovered) -> ExitCode {
    for failure in &discovered.failures {
        eprintln!("error: not complete: {failure}");
    }
    if discovered.failures.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Group-versions in alphabetical order; those that are not served now are left out, as kubectl does.
fn render(discovered: &Discovered) -> String {
    let served = discovered.group_versions().filter(|(_, version)| !version.stale);
    let names: BTreeSet<String> = served
        .map(|(group, version)| name(&group.name, &version.version))
        .collect();
    names.into_iter().map(|name| name + "\n").collect()
}

/// `v1`, `apps/v1`.
pub(super) fn name(group: &str, version: &str) -> String {
    if group.is_empty() {
        version.to_owned()
    } else {
        format!("{group}/{version}")
    }
}

#[cfg(test)]
mod tests {
    use kubeloom::discovery::{ApiGroup, ApiVersion};

    use super::*;

    #[test]
    fn served_versions_are_sorted_as_text() {
        let version = |version: &str, stale| ApiVersion {
            version: version.to_owned(),
            stale,
            ..ApiVersion::default()
        };
        let group = |name: &str, versions: Vec<ApiVersion>| ApiGroup {
            name: name.to_owned(),
            versions,
            ..ApiGroup::default()
        };
        let discovered = Discovered {
            groups: vec![
                group("", vec![version("v1", false)]),
                group("batch", vec![version("v1", false), version("v1beta1", false)]),
                group("gone", vec![version("v1", true)]),
                group("apps", vec![version("v1", false)]),
            ],
            ..Discovered::default()
        };
        assert_eq!(render(&discovered), "apps/v1\nbatch/v1\nbatch/v1beta1\nv1\n");
        assert_eq!(render(&Discovered::default()), "");
    }
}
