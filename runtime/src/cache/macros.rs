//! What generated crates write their informers with: one line for each kind and each group-version.

/// Writes the informers of a group-version: a struct over a factory with one method a kind.
///
/// ```text
/// informers! { CoreV1Informers { pods: Pod, nodes: Node } }
/// ```
#[macro_export]
macro_rules! informers {
    ($name:ident { $($method:ident: $kind:ident),* $(,)? }) => {
        /// The informers of this group-version: one for each resource that offers list and watch.
        #[derive(Clone, Debug)]
        pub struct $name {
            factory: $crate::cache::SharedInformerFactory,
        }

        impl $name {
            /// The informers of a factory.
            pub fn new(factory: &$crate::cache::SharedInformerFactory) -> Self {
                Self { factory: factory.clone() }
            }

            $(
                #[doc = concat!("The informer of [`", stringify!($kind), "`]; see")]
                /// [`informer`](kubeloom::cache::SharedInformerFactory::informer).
                // Inlined, so that an informer is compiled by those who ask for it and not here, for every kind.
                #[inline]
                pub fn $method(&self) -> $crate::cache::SharedInformer<$kind> {
                    self.factory.informer()
                }
            )*
        }
    };
}

/// Writes the informer factory of a generated crate: the runtime's, with one method a group-version.
///
/// ```text
/// informer_factory! { SharedInformerFactory {
///     /// `core/v1`
///     core_v1: core_v1::CoreV1Informers,
/// } }
/// ```
#[macro_export]
macro_rules! informer_factory {
    ($name:ident { $($(#[$meta:meta])* $method:ident: $informers:path),* $(,)? }) => {
        /// Makes informers and keeps one for each kind and selection; all that the runtime's factory does, and the
        /// informers of all group-versions of this crate by name.
        #[derive(Clone, Debug)]
        pub struct $name {
            factory: $crate::cache::SharedInformerFactory,
        }

        impl $name {
            /// A factory of informers over all namespaces.
            pub fn new(client: &impl ::core::convert::AsRef<$crate::rest::RestClient>) -> Self {
                Self { factory: $crate::cache::SharedInformerFactory::new(client) }
            }

            /// Informers of namespaced kinds see one namespace.
            #[must_use]
            pub fn namespace(self, namespace: &str) -> Self {
                Self { factory: self.factory.namespace(namespace) }
            }

            /// Informers see objects with matching labels.
            #[must_use]
            pub fn labels(self, selector: &str) -> Self {
                Self { factory: self.factory.labels(selector) }
            }

            /// Informers see objects with matching fields.
            #[must_use]
            pub fn fields(self, selector: &str) -> Self {
                Self { factory: self.factory.fields(selector) }
            }

            /// Informers list and watch with other options.
            #[must_use]
            pub fn tweak(self, tweak: $crate::cache::Tweak) -> Self {
                Self { factory: self.factory.tweak(tweak) }
            }

            /// Handlers added without options of their own are shown all objects again so often.
            #[must_use]
            pub fn resync(self, period: ::core::time::Duration) -> Self {
                Self { factory: self.factory.resync(period) }
            }

            /// Objects of a kind are changed before anyone sees them.
            #[must_use]
            pub fn transform<K: $crate::cache::Object>(self, transform: $crate::cache::Transform<K>) -> Self {
                Self { factory: self.factory.transform(transform) }
            }

            /// Informers of a kind are like this.
            #[must_use]
            pub fn configure<K: $crate::cache::Object>(self, setup: $crate::cache::InformerSetup<K>) -> Self {
                Self { factory: self.factory.configure(setup) }
            }

            /// How resources are read.
            #[must_use]
            pub fn reflector(self, options: $crate::cache::ReflectorOptions) -> Self {
                Self { factory: self.factory.reflector(options) }
            }

            $(
                $(#[$meta])*
                pub fn $method(&self) -> $informers {
                    <$informers>::new(&self.factory)
                }
            )*
        }

        impl ::core::ops::Deref for $name {
            type Target = $crate::cache::SharedInformerFactory;
            fn deref(&self) -> &$crate::cache::SharedInformerFactory {
                &self.factory
            }
        }
    };
}
