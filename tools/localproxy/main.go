// Localproxy makes a module proxy of the working tree, as if all modules of the workspace
// were released: a directory for a GOPROXY, with the files of each module not ignored by
// git. With it the modules are built as elsewhere, without a workspace and without
// replace directives.
//
// In tools, outside of the workspace:
//
//	GOWORK=off go run ./localproxy -C .. -o DIR
//	GOPROXY=file://DIR,$(go env GOPROXY) GONOSUMDB=github.com/problemtracking/* go get …
//
// The module cache keeps the files of a version: use another GOMODCACHE, or the next
// build gets the old files.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/problemtracking/problems/tools/internal/release"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("localproxy: ")
	root := flag.String("C", ".", "the `directory` of go.work")
	out := flag.String("o", "", "the `directory` to write to, which is made if need be")
	version := flag.String("version", "v0.1.0", "the `version` of all modules in the proxy")
	flag.Parse()
	if *out == "" || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	modules, err := release.Publish(*root, *out, *version)
	if err != nil {
		log.Fatal(err)
	}
	path, err := filepath.Abs(*out)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("localproxy: %d modules at %s: GOPROXY=%s\n", len(modules), *version, release.FileURL(path))
}
