// Command go-facts prints, as JSON, what the Go types of the Kubernetes API say about their encodings and neither
// OpenAPI nor a .proto file carries: the order of fields, their struct tags, and whether a field is held by value or
// by pointer.
//
// It parses and does not type-check: every type is written down as an expression over full import paths, and the
// reader of the output resolves the names. Comments are never read.
//
// Usage: go-facts IMPORTPATH=DIR...
//
// A directory must hold one package. Files that the build constraints of this platform leave out, tests, and files
// that generators wrote (zz_*, *.pb.go) are not read.
package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"sort"
	"strconv"
	"strings"
)

// Package is one Go package: its import path and every type it declares, sorted by name.
type Package struct {
	Path  string `json:"path"`
	Types []Type `json:"types"`
}

// Type is one declared type: a struct with its fields in declaration order, or any other type as an expression.
// Alias tells `type A = B` from `type A B`. OwnJSON says that the type has a MarshalJSON method, so that its fields
// are not its JSON.
type Type struct {
	Name       string  `json:"name"`
	Alias      bool    `json:"alias"`
	OwnJSON    bool    `json:"ownJson"`
	Underlying string  `json:"underlying,omitempty"`
	Fields     []Field `json:"fields"`
}

// Field is one struct field. Embedded fields carry the name of their type. JSON and Protobuf are the texts of the
// struct tags; HasJSON tells an empty json tag from none.
type Field struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Embedded bool   `json:"embedded"`
	HasJSON  bool   `json:"hasJson"`
	JSON     string `json:"json"`
	Protobuf string `json:"protobuf"`
}

func main() {
	packages := []Package{}
	for _, arg := range os.Args[1:] {
		importPath, dir, ok := strings.Cut(arg, "=")
		if !ok {
			fail(fmt.Errorf("argument %q is not IMPORTPATH=DIR", arg))
		}
		types, err := readPackage(importPath, dir)
		if err != nil {
			fail(err)
		}
		packages = append(packages, Package{importPath, types})
	}
	sort.Slice(packages, func(i, j int) bool { return packages[i].Path < packages[j].Path })
	if err := json.NewEncoder(os.Stdout).Encode(packages); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "go-facts:", err)
	os.Exit(1)
}

func readPackage(importPath, dir string) ([]Type, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	types := map[string]Type{}
	ownJSON := map[string]bool{}
	for _, name := range names {
		base := filepath.Base(name)
		if strings.HasSuffix(base, "_test.go") || strings.HasPrefix(base, "zz_") || strings.HasSuffix(base, ".pb.go") {
			continue
		}
		if match, err := build.Default.MatchFile(dir, base); err != nil || !match {
			if err != nil {
				return nil, err
			}
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		if err := readFile(importPath, file, types, ownJSON); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	if len(types) == 0 {
		return nil, fmt.Errorf("%s declares no type in %s", importPath, dir)
	}
	sorted := []Type{}
	for _, t := range types {
		t.OwnJSON = ownJSON[t.Name]
		sorted = append(sorted, t)
	}
	sort.Slice(sorted, func(i, j int) bool { return sorted[i].Name < sorted[j].Name })
	return sorted, nil
}

func readFile(importPath string, file *ast.File, types map[string]Type, ownJSON map[string]bool) error {
	w := writer{importPath, map[string]string{}}
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return err
		}
		name := path.Base(imported)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		w.imports[name] = imported
	}
	for _, decl := range file.Decls {
		if method, ok := decl.(*ast.FuncDecl); ok && method.Recv != nil && method.Name.Name == "MarshalJSON" {
			receiver := method.Recv.List[0].Type
			if pointer, ok := receiver.(*ast.StarExpr); ok {
				receiver = pointer.X
			}
			if name, ok := receiver.(*ast.Ident); ok {
				ownJSON[name.Name] = true
			}
		}
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.TYPE {
			continue
		}
		for _, spec := range gen.Specs {
			t := spec.(*ast.TypeSpec)
			if t.TypeParams != nil {
				continue
			}
			if _, twice := types[t.Name.Name]; twice {
				return fmt.Errorf("type %s is declared twice", t.Name.Name)
			}
			declared, err := w.declaration(t)
			if err != nil {
				return fmt.Errorf("type %s: %w", t.Name.Name, err)
			}
			types[t.Name.Name] = declared
		}
	}
	return nil
}

// writer writes type expressions of one file, whose imports it knows by the name they have there.
type writer struct {
	importPath string
	imports    map[string]string
}

func (w writer) declaration(t *ast.TypeSpec) (Type, error) {
	out := Type{Name: t.Name.Name, Alias: t.Assign.IsValid(), Fields: []Field{}}
	structure, ok := t.Type.(*ast.StructType)
	if !ok {
		out.Underlying = w.expression(t.Type)
		return out, nil
	}
	out.Underlying = "struct"
	for _, f := range structure.Fields.List {
		field := Field{Type: w.expression(f.Type)}
		if f.Tag != nil {
			text, err := strconv.Unquote(f.Tag.Value)
			if err != nil {
				return out, err
			}
			tag := reflect.StructTag(text)
			field.JSON, field.HasJSON = tag.Lookup("json")
			field.Protobuf = tag.Get("protobuf")
		}
		if len(f.Names) == 0 {
			field.Embedded = true
			field.Name = field.Type[strings.LastIndexAny(field.Type, ".*")+1:]
			out.Fields = append(out.Fields, field)
		}
		for _, name := range f.Names {
			field.Name = name.Name
			out.Fields = append(out.Fields, field)
		}
	}
	return out, nil
}

// expression writes a type: `*T`, `[]T`, `map[K]V`, a predeclared name, or a name behind its full import path.
// What no API type may hold (func, chan, interface, array, generic) is written as `?` and the reader refuses it
// where it matters.
func (w writer) expression(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		if predeclared[e.Name] {
			return e.Name
		}
		return w.importPath + "." + e.Name
	case *ast.SelectorExpr:
		if pkg, ok := e.X.(*ast.Ident); ok {
			if imported, ok := w.imports[pkg.Name]; ok {
				return imported + "." + e.Sel.Name
			}
		}
	case *ast.StarExpr:
		return "*" + w.expression(e.X)
	case *ast.ParenExpr:
		return w.expression(e.X)
	case *ast.ArrayType:
		if e.Len == nil {
			return "[]" + w.expression(e.Elt)
		}
	case *ast.MapType:
		return "map[" + w.expression(e.Key) + "]" + w.expression(e.Value)
	}
	return "?"
}

var predeclared = map[string]bool{
	"bool": true, "string": true, "byte": true, "any": true, "float32": true, "float64": true,
	"int": true, "int8": true, "int16": true, "int32": true, "int64": true,
	"uint": true, "uint8": true, "uint16": true, "uint32": true, "uint64": true,
}
