package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// handedIn are the functions of app alone, handed in to everything else, by package. An
// empty list stands for the whole package.
var handedIn = map[string][]string{
	"time":         {"Now", "Since", "Until"},
	"os":           {"Getenv", "LookupEnv", "Environ", "ExpandEnv"},
	"crypto/rand":  {},
	"math/rand":    {},
	"math/rand/v2": {},
}

// impurities returns a sentence for each use of such a function in p, tests aside.
func (p pkg) impurities() ([]string, error) {
	folder := strings.TrimPrefix(p.ImportPath, project)
	if !within(folder, "domain") && !within(folder, "adapters") || isForTests(folder) || within(folder, "adapters/client") {
		return nil, nil // app takes them, the programs of others hand in nothing, and the rest is for tests
	}
	var violations []string
	files := token.NewFileSet()
	for _, name := range p.GoFiles {
		file, err := parser.ParseFile(files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		taken := make(map[string][]string) // by the package's name in the file
		for _, spec := range file.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return nil, err
			}
			names, listed := handedIn[path]
			switch {
			case !listed:
			case len(names) == 0:
				violations = append(violations, fmt.Sprintf("%s/%s imports %s: app alone may, and hands it in", folder, name, path))
			case spec.Name != nil:
				taken[spec.Name.Name] = names
			default:
				taken[path[strings.LastIndexByte(path, '/')+1:]] = names
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			selector, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := selector.X.(*ast.Ident); ok && slices.Contains(taken[x.Name], selector.Sel.Name) {
				violations = append(violations, fmt.Sprintf("%s/%s:%d takes %s.%s: app alone may, and hands it in",
					folder, name, files.Position(n.Pos()).Line, x.Name, selector.Sel.Name))
			}
			return true
		})
	}
	return violations, nil
}
