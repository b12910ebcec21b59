// Prints the CustomResourceDefinitions that controller-gen makes of Go packages, as a JSON array sorted by name.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"sort"

	"golang.org/x/tools/go/packages"
	apiext "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-tools/pkg/crd"
	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(paths []string) error {
	roots, err := loader.LoadRoots(paths...)
	if err != nil {
		return err
	}
	registry := &markers.Registry{}
	if err := crdmarkers.Register(registry); err != nil {
		return err
	}
	parser := &crd.Parser{Collector: &markers.Collector{Registry: registry}, Checker: &loader.TypeChecker{}, AllowDangerousTypes: true}
	crd.AddKnownTypes(parser)
	for _, root := range roots {
		parser.NeedPackage(root)
	}
	meta := crd.FindMetav1(roots)
	if meta == nil {
		return fmt.Errorf("no package of %v uses meta/v1", paths)
	}
	all := []apiext.CustomResourceDefinition{}
	for _, kind := range crd.FindKubeKinds(parser, meta) {
		parser.NeedCRDFor(kind, nil)
		all = append(all, parser.CustomResourceDefinitions[kind])
	}
	// Packages outside of the roots are not loaded as a whole, so that types in them are missing.
	if loader.PrintErrors(roots, packages.TypeError) {
		return fmt.Errorf("the packages have errors")
	}
	sort.Slice(all, func(one, other int) bool { return all[one].Name < all[other].Name })
	return json.NewEncoder(os.Stdout).Encode(all)
}
