// Packages makes the artefacts of a release, into one directory: packages for Debian and
// for RPM, images for containers, a chart for Kubernetes, lists of components (SBOM), and
// the sums of all files. Two runs on one commit make the same bytes.
//
// It is a module of its own: its libraries are large, and nothing else needs them.
//
//	GOWORK=off go run . -C ../.. -version v0.2.0 -to ../../bin/packages
package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/v1/mutate"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("packages: ")
	var r release
	flag.StringVar(&r.root, "C", "../..", "the `directory` of go.work")
	flag.StringVar(&r.version, "version", "", "the `version`, such as v0.2.0, or what \"git describe\" says")
	flag.StringVar(&r.to, "to", "", "the `directory` for the artefacts: it is emptied first")
	architectures := flag.String("arch", "amd64,arm64", "the `architectures`, as Go names them")
	flag.Parse()
	r.architectures = strings.Split(*architectures, ",")
	if flag.NArg() > 0 || r.version == "" || r.to == "" {
		flag.Usage()
		os.Exit(2)
	}
	if err := r.make(); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("The artefacts of %s are in %s.\n", r.version, r.to)
}

// release is what is made.
type release struct {
	root          string
	version       string // as in the binary
	to            string
	architectures []string
	time          time.Time              // of all files
	images        []mutate.IndexAddendum // made so far
}

// deploy is where the files beside the binary are.
func (r *release) deploy(elements ...string) string {
	return filepath.Join(append([]string{r.root, "app", "deploy"}, elements...)...)
}

// name returns the path of an artefact.
func (r *release) name(suffix string) string {
	return filepath.Join(r.to, "problems-"+r.number()+suffix)
}

// make makes everything.
func (r *release) make() error {
	var err error
	if r.time, err = sourceTime(r.root, os.Getenv); err != nil {
		return err
	}
	if err := os.RemoveAll(r.to); err != nil {
		return err
	}
	if err := os.MkdirAll(r.to, 0o755); err != nil {
		return err
	}
	for _, architecture := range r.architectures {
		binary, err := r.build(architecture)
		if err != nil {
			return err
		}
		for _, step := range []func(binary, architecture string) error{r.linux, r.image, r.components} {
			if err := step(binary, architecture); err != nil {
				return fmt.Errorf("for %s: %w", architecture, err)
			}
		}
	}
	for _, step := range []func() error{r.index, r.chart, r.sums} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// sourceTime returns SOURCE_DATE_EPOCH, or else the time of the last commit: no artefact
// has the time of its making.
func sourceTime(root string, getenv func(string) string) (time.Time, error) {
	text := getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		output, err := command(root, nil, "git", "log", "-1", "--format=%ct")
		if err != nil {
			return time.Time{}, fmt.Errorf("without a clone, set SOURCE_DATE_EPOCH: %w", err)
		}
		text = strings.TrimSpace(output)
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH has to be a number of seconds since 1970: %q is none", text)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// sums writes the sums of all artefacts, as sha256sum checks them.
func (r *release) sums() error {
	entries, err := os.ReadDir(r.to)
	if err != nil {
		return err
	}
	var lines strings.Builder
	for _, e := range entries {
		content, err := os.ReadFile(filepath.Join(r.to, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&lines, "%x  %s\n", sha256.Sum256(content), e.Name())
	}
	return os.WriteFile(filepath.Join(r.to, "SHA256SUMS"), []byte(lines.String()), 0o644)
}
