//! Informers, a queue and workers, put together.
