//! The types of k8s-openapi: an empty user, so that what is compiled is the dependency.
