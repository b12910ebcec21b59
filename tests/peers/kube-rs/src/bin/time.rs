//! Measures times, with the system's allocator as it is.

fn main() -> anyhow::Result<()> {
    peer_harness::run(peer_kube_rs::decode, None)
}
