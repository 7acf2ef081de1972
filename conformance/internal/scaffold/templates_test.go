package scaffold

import (
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/problemtracking/problems/conformance"
)

// written returns what the templates say for a module, by file.
func written(t *testing.T) map[string]string {
	t.Helper()
	o := Options{Module: "example.org/mystore"}
	if err := o.complete(); err != nil {
		t.Fatal(err)
	}
	files, err := o.rendered()
	if err != nil {
		t.Fatal(err)
	}
	texts := make(map[string]string)
	for _, f := range files {
		texts[f.name] = string(f.text)
	}
	return texts
}

func TestTemplatesAreFormatted(t *testing.T) {
	t.Parallel()
	for name, text := range written(t) {
		if path.Ext(name) != ".go" {
			continue
		}
		formatted, err := format.Source([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if string(formatted) != text {
			t.Errorf("gofmt would change %s to:\n%s", name, formatted)
		}
	}
}

func TestTemplatesCiteRulesThatHaveCases(t *testing.T) {
	t.Parallel()
	tags := make(map[string]bool)
	for _, c := range conformance.Cases() {
		tags[c.Tag()] = true
	}
	cited := 0
	for name, text := range written(t) {
		for _, tag := range regexp.MustCompile(`\b[A-Z]+-\d{3}\b`).FindAllString(text, -1) {
			cited++
			if !tags[tag] {
				t.Errorf("%s cites %s, which no case has", name, tag)
			}
		}
	}
	if cited == 0 {
		t.Error("no rule is cited at all")
	}
}

// TestTemplatesKnowEveryPart compares the cases of the switches with the closed
// sets of the port.
func TestTemplatesKnowEveryPart(t *testing.T) {
	t.Parallel()
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", "github.com/problemtracking/problems/domain/store").Output()
	if err != nil {
		t.Fatal(err)
	}
	texts := written(t)
	for _, c := range []struct{ method, file string }{{"effect", "effects.go"}, {"expectation", "expectations.go"}} {
		want := sealed(t, strings.TrimSpace(string(dir)), c.method)
		var got []string
		for _, found := range regexp.MustCompile(`\tcase store\.(\w+):`).FindAllStringSubmatch(texts[c.file], -1) {
			got = append(got, found[1])
		}
		slices.Sort(got)
		if len(want) == 0 || !slices.Equal(want, got) {
			t.Errorf("%s has cases for %v; the port has %v", c.file, got, want)
		}
	}
}

// sealed returns the types of a package that have a method, sorted.
func sealed(t *testing.T, dir, method string) (types []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && f.Name.Name == method {
				types = append(types, f.Recv.List[0].Type.(*ast.Ident).Name)
			}
		}
	}
	slices.Sort(types)
	return types
}

func TestQuoted(t *testing.T) {
	t.Parallel()
	for clone, want := range map[string]string{
		"/src/problems": "/src/problems/domain", "/my src/problems": `"/my src/problems/domain"`,
		"../problems": "../problems/domain", "problems": "./problems/domain", ".": "./domain", "..": "../domain", "..problems": "./..problems/domain",
	} {
		if got := quoted(clone, "domain"); got != want {
			t.Errorf("quoted(%q) is %s; want %s", clone, got, want)
		}
	}
}

// go.mod has a relative path to the clone, unless a symbolic link could lead it astray.
func TestSeenFrom(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	clone := filepath.Join(dir, "problems")
	for from, want := range map[string]string{
		filepath.Join(dir, "mystore"):        "../problems",
		filepath.Join(dir, "new", "mystore"): "../../problems",
		dir:                                  "problems",
		filepath.Join(clone, "mystore"):      "..",
		filepath.Join(link, "mystore"):       clone,
	} {
		if got := seenFrom(from, clone, clone); got != want {
			t.Errorf("from %s, the clone is at %q; want %q", from, got, want)
		}
	}
}

func TestSuggestedName(t *testing.T) {
	t.Parallel()
	for module, want := range map[string]string{
		"example.org/mystore":       "mystore",
		"example.org/go-mystore":    "mystore",
		"example.org/my.Store-go":   "mystore",
		"example.org/x/mystore/v3":  "mystore",
		"example.org/v3":            "v3",
		"mystore.example":           "mystoreexample",
		"example.org/2nd_my~store/": "",
	} {
		if got := suggestedName(module); got != want {
			t.Errorf("the name suggested by %s is %q; want %q", module, got, want)
		}
	}
}
