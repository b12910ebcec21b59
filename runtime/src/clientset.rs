//! The front door of a generated crate.

/// Writes a `Clientset`: a client and one method per group-version.
///
/// ```text
/// clientset! { Clientset {
///     /// `core/v1`
///     core_v1: core_v1::CoreV1,
/// } }
/// ```
#[macro_export]
macro_rules! clientset {
    ($name:ident { $($(#[$meta:meta])* $method:ident: $client:path),* $(,)? }) => {
        /// The typed clients of all group-versions of this crate. Cheap to clone; clones share connections.
        #[derive(Clone, Debug)]
        pub struct $name {
            client: $crate::rest::RestClient,
        }

        impl $name {
            /// Clients of the server that the kubeconfig or, inside a pod, the service account names.
            ///
            /// # Errors
            /// A configuration that cannot be used; the text says which file and what to do.
            pub async fn from_env() -> ::core::result::Result<Self, $crate::Error> {
                ::core::result::Result::Ok(Self::new(&$crate::rest::RestClient::from_env().await?))
            }

            /// Clients of the server that `config` names.
            ///
            /// # Errors
            /// Certificates or keys that cannot be used.
            pub fn from_config(config: &$crate::config::Config) -> ::core::result::Result<Self, $crate::Error> {
                ::core::result::Result::Ok(Self::new(&$crate::rest::RestClient::new(config)?))
            }

            /// Clients over one that is there.
            pub fn new(client: &$crate::rest::RestClient) -> Self {
                Self { client: client.clone() }
            }

            /// The client behind all of them.
            pub fn client(&self) -> &$crate::rest::RestClient {
                &self.client
            }

            /// The objects of any namespaced kind in one namespace: derived kinds, and kinds of other crates.
            pub fn resource<K>(&self, namespace: &str) -> $crate::rest::Api<K>
            where
                K: $crate::resource::Resource<Scope = $crate::resource::Namespaced>,
            {
                self.client.namespaced(namespace)
            }

            /// The objects of any kind of cluster scope.
            pub fn cluster_resource<K>(&self) -> $crate::rest::Api<K>
            where
                K: $crate::resource::Resource<Scope = $crate::resource::Cluster>,
            {
                self.client.cluster()
            }

            $(
                $(#[$meta])*
                pub fn $method(&self) -> $client {
                    <$client>::new(&self.client)
                }
            )*
        }

        impl ::core::convert::AsRef<$crate::rest::RestClient> for $name {
            fn as_ref(&self) -> &$crate::rest::RestClient {
                &self.client
            }
        }
    };
}
