//! `nodes` are of cluster scope: they are not asked for in a namespace.

fn nodes(clientset: &kubeloom_k8s::Clientset) {
    let _ = clientset.core_v1().nodes("web");
}

fn generic(clientset: &kubeloom_k8s::Clientset) {
    let _ = clientset.resource::<kubeloom_k8s::core_v1::Node>("web");
}

fn main() {}
