//! Over all namespaces a kind is listed and watched, nothing else.

fn get(clientset: &kubeloom_k8s::Clientset) {
    let _ = clientset.core_v1().all_pods().get("a");
}

fn main() {}
