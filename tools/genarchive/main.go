// Genarchive writes an archive of any size to standard output, to try "problems
// import", the stores and searches with. Package conformance/dataset says what is in it: one of
// a hundred users owns three of ten problems; four of five are closed; comments and
// logs are as long as Zipf's law has it; each problem has two keywords, one of five
// is planned for a milestone, one of ten is blocked by the one before it, one of
// twenty has a title in another script. The same arguments give the same archive.
//
// In tools, which is outside of the workspace:
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
