//! Measures times, with the system's allocator as it is.

fn main() -> anyhow::Result<()> {
    cache_kubeloom::run(None)
}
