// Genarchive writes an archive of any size to standard output, as input for "problems import"
// and for searches. The same arguments give the same archive.
//
// Its content comes from package conformance/dataset, with the shape of a real tracker. One
// of a hundred users owns three of ten problems. Four of five problems are closed. The
// lengths of comments and logs follow Zipf's law. Each problem has two keywords. One of five
// has a milestone, one of ten is blocked by its predecessor, and one of twenty has a title in
// another script.
//
// The module tools is outside of the workspace:
//
//	GOWORK=off go run ./genarchive -problems 1000000 | problems import
package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"flag"
	"log"
	"os"

	"github.com/problemtracking/problems/adapters/archive"
	"github.com/problemtracking/problems/conformance/dataset"
	"github.com/problemtracking/problems/domain/problem"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("genarchive: ")
	problems := flag.Int64("problems", 10_000, "how many problems to write")
	flag.Parse()
	if flag.NArg() > 0 || *problems < 0 {
		flag.Usage()
		os.Exit(2)
	}
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	// Nobody has a token of this digest: "problems token create" makes one.
	if _, err := archive.Write(context.Background(), out, dataset.New(problem.ID(*problems), sha256.Sum256(nil))); err != nil {
		log.Fatal(err)
	}
	if err := out.Flush(); err != nil {
		log.Fatal(err)
	}
}
