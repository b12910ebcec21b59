//! Two group-versions of Kubeloom, clients included: an empty user, so that what is compiled is the dependency.
