// Checkarrows tells whether the modules of the workspace depend on each other as
// they should: app → adapters → domain ← conformance. It also keeps the clock,
// randomness and the environment out of the domain and the adapters.
//
// In tools, outside of the workspace:
//
//	GOWORK=off go run ./checkarrows -C ..
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("checkarrows: ")
	root := flag.String("C", ".", "the `directory` of go.work")
	flag.Parse()
	packages, err := list(*root)
	if err != nil {
		log.Fatal(err)
	}
	broken := 0
	for _, p := range packages {
		violations := p.arrows()
		impure, err := p.impurities()
		if err != nil {
			log.Fatal(err)
		}
		for _, violation := range append(violations, impure...) {
			log.Print(violation)
			broken++
		}
	}
	if broken > 0 {
		os.Exit(1)
	}
	fmt.Printf("checkarrows: %d packages, all arrows point inwards\n", len(packages))
}

// pkg is a package in "go list -json".
type pkg struct {
	ImportPath   string
	Dir          string
	GoFiles      []string
	Imports      []string
	TestImports  []string
	XTestImports []string
}

// list returns the packages of all modules of the workspace.
func list(root string) ([]pkg, error) {
	command := exec.Command("go", "list", "-json=ImportPath,Dir,GoFiles,Imports,TestImports,XTestImports", "work")
	command.Dir = root
	command.Env = append(os.Environ(), "GOWORK=") // found from the directory
	var stderr bytes.Buffer
	command.Stderr = &stderr
	output, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, stderr.Bytes())
	}
	var packages []pkg
	for decoder := json.NewDecoder(bytes.NewReader(output)); ; {
		var p pkg
		switch err := decoder.Decode(&p); {
		case errors.Is(err, io.EOF):
			return packages, nil
		case err != nil:
			return nil, fmt.Errorf("go list: %w", err)
		}
		packages = append(packages, p)
	}
}
