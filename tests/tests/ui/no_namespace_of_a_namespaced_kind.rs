//! The namespace of a namespaced kind is required.

fn pods(clientset: &kubeloom_k8s::Clientset) {
    let _ = clientset.core_v1().pods();
}

fn main() {}
