//! The documentation of a generated crate.

use crate::ir::{Api, Handle, Module, Reach};
use crate::options::Options;

/// The lines at the top of `lib.rs`.
pub(super) fn lines(api: &Api, options: &Options) -> Vec<String> {
    let server = match &api.server {
        Some(version) => format!("Typed clients of an API server of version {version}."),
        None => "Typed clients of an API server.".to_owned(),
    };
    let mut docs = vec![
        server,
        String::new(),
        "Each group-version is a feature and a module of the same name; `all` turns all of them on. A feature brings in"
            .to_owned(),
        "those whose types it needs.".to_owned(),
    ];
    if let Some((module, handle)) = chosen(api) {
        docs.push(String::new());
        docs.extend(example(module, handle, &options.name.replace('-', "_")));
    }
    docs
}

/// What the example shows: pods, which everybody knows, or whatever is first.
fn chosen(api: &Api) -> Option<(&Module, &Handle)> {
    let all = || {
        api.modules.iter().flat_map(|module| {
            let handles = module.client.iter().flat_map(|client| &client.handles);
            let named = handles.filter(|handle| handle.reach != Reach::AllNamespaces);
            named.map(move |handle| (module, handle))
        })
    };
    let pods =
        all().find(|(module, handle)| (module.name.as_str(), handle.plural.as_str()) == ("core_v1", "pods"));
    pods.or_else(|| all().next())
}

/// Compiles with whatever features are on: it is empty without its module.
fn example(module: &Module, handle: &Handle, name: &str) -> Vec<String> {
    let gates: Vec<_> = module
        .gates
        .iter()
        .map(|gate| format!("feature = \"{gate}\""))
        .collect();
    let gate = match gates.as_slice() {
        [only] => only.clone(),
        several => format!("any({})", several.join(", ")),
    };
    let (method, module_name) = (&handle.name, &module.name);
    let namespace = match handle.reach {
        Reach::Namespace => "\"default\"",
        Reach::AllNamespaces | Reach::Cluster => "",
    };
    let mut lines = vec![
        "```no_run".to_owned(),
        format!("# #[cfg({gate})]"),
        "# async fn example() -> Result<(), Box<dyn std::error::Error>> {".to_owned(),
        format!("let clientset = {name}::Clientset::from_env().await?;"),
        format!("let {method} = clientset.{module_name}().{method}({namespace});"),
    ];
    let informers = module.informers.iter().flat_map(|informers| &informers.list);
    if informers.into_iter().any(|informer| informer.name == *method) {
        lines.extend([
            String::new(),
            format!("let factory = {name}::SharedInformerFactory::new(&clientset);"),
            format!("let {method} = factory.{module_name}().{method}();"),
            format!(
                "{method}.add_event_handler(|event: kubeloom::cache::Event<_>| println!(\"{{}}\", event.key()));"
            ),
            "factory.start();".to_owned(),
            "factory.wait_synced().await?;".to_owned(),
            format!("println!(\"{{}} objects\", {method}.lister().list().len());"),
        ]);
    }
    lines.extend(["# Ok(())", "# }", "```"].map(str::to_owned));
    lines
}
