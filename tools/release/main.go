// Release tags a release of all modules, and makes its packages from the tag: see the
// package tools/internal/release. It pushes nothing, and prints the command to push.
//
// In tools, outside of the workspace:
//
//	GOWORK=off go run ./release -C .. v0.2.0
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/problemtracking/problems/tools/internal/release"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("release: ")
	var m making
	flag.StringVar(&m.root, "C", ".", "the `directory` of go.work")
	flag.StringVar(&m.to, "to", "", "the `directory` for the packages: it is emptied first; bin/packages below that of go.work without one")
	flag.StringVar(&m.architectures, "arch", "amd64,arm64", "the `architectures` of the packages, as Go names them")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: release [-C DIR] [-to DIR] [-arch NAMES] VERSION")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	if m.to == "" {
		m.to = filepath.Join(m.root, "bin", "packages")
	}
	if err := m.make(flag.Arg(0), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// making is how a release is made.
type making struct{ root, to, architectures string }

// make tags a release, makes its packages, and says how to publish both. When a package
// fails, the clone has no new tag.
func (m making) make(version string, out io.Writer) error {
	tags, err := release.Tags(m.root, version)
	if err != nil {
		return err
	}
	packages, err := release.Artefacts(m.root, version, m.to, "-arch", m.architectures)
	if err != nil {
		return errors.Join(fmt.Errorf("the packages of %s, without which nothing is tagged: %w", version, err), release.Untag(m.root, tags))
	}
	_, err = fmt.Fprintf(out, "The packages of %s are\n\n  %s\n\n%s is tagged for %d modules. Publish it with:\n\n  git push --atomic origin %s\n",
		version, strings.Join(packages, "\n  "), version, len(tags)-1, strings.Join(tags, " "))
	return err
}
