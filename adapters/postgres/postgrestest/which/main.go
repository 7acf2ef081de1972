// Which says which PostgreSQL server the tests of this machine use, before they
// start: `go test` hides what passing tests write.
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
