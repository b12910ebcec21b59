//! Config maps have no status, and pods no scale.

fn status(clientset: &kubeloom_k8s::Clientset) {
    let _ = clientset.core_v1().config_maps("web").get_status("a");
}

fn scale(clientset: &kubeloom_k8s::Clientset) {
    let _ = clientset.core_v1().pods("web").get_scale("a");
}

fn main() {}
