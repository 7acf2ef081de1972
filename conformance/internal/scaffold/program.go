package scaffold

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"
)

//go:embed templates/program/*.tmpl
var programTemplates embed.FS

// appModule is the module of the program, and appVersion its version.
const (
	appModule  = "github.com/problemtracking/problems/app"
	appVersion = "v0.1.0"
)

// ProgramOptions say where the program of an adapter is written.
type ProgramOptions struct {
	// Dir is the directory of the adapter's module and package. It is empty for the
	// current directory.
	Dir string
	// Local is a clone of the repository. The program uses its modules instead of the
	// published ones. It may be empty.
	Local string
}

// WriteProgram writes a program for an adapter into cmd of the adapter's module. It
// returns the directory of the program within the module. It replaces no file. To
// go.mod, it adds lines.
func WriteProgram(o ProgramOptions) (program string, err error) {
	if o.Dir == "" {
		o.Dir = "."
	}
	goMod := filepath.Join(o.Dir, "go.mod")
	module, err := os.ReadFile(goMod)
	if err != nil {
		return "", fmt.Errorf("there is no module of an adapter to write a program for: name its directory with --dir: %w", err)
	}
	values := struct{ Module, Name string }{}
	if found := regexp.MustCompile(`(?m)^module\s+"?([^"\s]+)"?\s*(//.*)?$`).FindSubmatch(module); found != nil {
		values.Module = string(found[1])
	}
	if err := checkModule(values.Module); err != nil {
		return "", fmt.Errorf("%s: %w", goMod, err)
	}
	if values.Name, err = packageName(o.Dir); err != nil {
		return "", err
	}
	added, err := requirements(string(module), o.Dir, o.Local)
	if err != nil {
		return "", err
	}
	program = "cmd/problems-" + values.Name
	files, err := programFiles(values)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(o.Dir, filepath.FromSlash(program))
	if err := empty(dir); err != nil {
		return "", fmt.Errorf("there is a program already: %w", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	for _, f := range files {
		if err := create(filepath.Join(dir, f.name), f.text); err != nil {
			return "", err
		}
	}
	return program, appendTo(goMod, added)
}

// programFiles returns the files of the program.
func programFiles(values any) (files []file, err error) {
	all, err := template.ParseFS(programTemplates, "templates/program/*.tmpl")
	if err != nil {
		return nil, err
	}
	for _, t := range all.Templates() {
		var out bytes.Buffer
		if err := t.Execute(&out, values); err != nil {
			return nil, err
		}
		text, err := format.Source(out.Bytes()) // a module's path decides the order of imports
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.Name(), err)
		}
		files = append(files, file{strings.TrimSuffix(t.Name(), ".tmpl"), text})
	}
	return files, nil
}

// packageName returns the name of the package in a directory.
func packageName(dir string) (string, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return "", err
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.PackageClauseOnly)
		if err != nil {
			return "", err
		}
		if !matches(`^[a-z][a-z0-9]*$`, f.Name.Name) || f.Name.Name == "main" {
			return "", fmt.Errorf("the package %s cannot be an adapter whose name is the scheme of a URL: want lower-case letters and digits, and not main", f.Name.Name)
		}
		return f.Name.Name, nil
	}
	return "", fmt.Errorf("%q has no package of an adapter: name its directory with --dir", dir)
}

// requirements returns further lines of go.mod for the program. It leaves existing
// replacements alone.
func requirements(module, dir, local string) (string, error) {
	var lines strings.Builder
	if !strings.Contains(module, appModule+" v") {
		fmt.Fprintf(&lines, "\nrequire %s %s\n", appModule, appVersion)
	}
	if local == "" {
		return lines.String(), nil
	}
	full, err := clone(local)
	if err != nil {
		return "", err
	}
	app, err := os.ReadFile(filepath.Join(full, "app", "go.mod"))
	if err != nil {
		return "", fmt.Errorf("%q is no clone with the program: %w", local, err)
	}
	seen := seenFrom(dir, local, full)
	prefix := strings.TrimSuffix(appModule, "app")
	folders := []string{"app"}
	for _, found := range regexp.MustCompile(`(?m)^\s*`+regexp.QuoteMeta(prefix)+`(\S+) => \.\./`).FindAllStringSubmatch(string(app), -1) {
		folders = append(folders, found[1])
	}
	var replaced strings.Builder
	for _, folder := range folders {
		if !strings.Contains(module, prefix+folder+" => ") {
			fmt.Fprintf(&replaced, "\t%s%s => %s\n", prefix, folder, quoted(seen, filepath.FromSlash(folder)))
		}
	}
	if replaced.Len() > 0 {
		fmt.Fprintf(&lines, "\n// The program as it is in a clone, instead of the version above. Take these lines out\n// to work with the published modules.\nreplace (\n%s)\n", &replaced)
	}
	return lines.String(), nil
}

// appendTo adds a text to a file.
func appendTo(path, text string) error {
	if text == "" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
