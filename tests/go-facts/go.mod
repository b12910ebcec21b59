module kubeloom.invalid/go-facts

go 1.24

// Nothing here is compiled in: the tool reads the sources of these modules, and this file pins their versions.
require (
	k8s.io/api v0.37.2
	k8s.io/apiextensions-apiserver v0.37.2
	k8s.io/apimachinery v0.37.2
	k8s.io/kube-aggregator v0.37.2
)
