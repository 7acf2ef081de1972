// Release tags a release of all modules: see the package tools/internal/release. It
// pushes nothing, and prints the command to push.
//
// In tools, outside of the workspace:
//
//	GOWORK=off go run ./release -C .. v0.2.0
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/problemtracking/problems/tools/internal/release"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("release: ")
	root := flag.String("C", ".", "the `directory` of go.work")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: release [-C DIR] VERSION")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	tags, err := release.Tags(*root, flag.Arg(0))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s is tagged for %d modules. Publish it with:\n\n  git push --atomic origin %s\n", flag.Arg(0), len(tags)-1, strings.Join(tags, " "))
}
