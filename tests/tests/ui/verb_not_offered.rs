//! Component statuses are read-only, and reviews are only created.

fn component_statuses(clientset: &kubeloom_k8s::Clientset) {
    let _ = clientset.core_v1().component_statuses().delete("scheduler");
}

fn reviews(clientset: &kubeloom_k8s::Clientset) {
    let _ = clientset.authentication_v1().token_reviews().list();
}

fn main() {}
