// The program which prints the PostgreSQL server for tests on this machine, before they
// start: `go test` hides the output of passing tests.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
)

func main() {
	which, err := postgrestest.Which(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(which)
}
