// Problems is the issue tracker with one more kind of store: bolt:FILE, a file of
// bbolt. See "problems --help".
package main

import (
	"context"
	"fmt"
	"strconv"

	"example.org/boltstore"
	"github.com/problemtracking/problems/app/backend"
	"github.com/problemtracking/problems/app/problems"

	"github.com/problemtracking/problems/domain/store"
)

func main() { problems.Main("", kinds()...) }

// kinds returns the kinds of stores of this program.
func kinds() []backend.Kind { return append(problems.BuiltIn(), bolt()) }

// bolt describes the further kind of store.
func bolt() backend.Kind {
	return backend.Kind{
		Name:       "a bbolt file",
		Schemes:    []string{"bolt"},
		File:       true,
		Parameters: []string{"maxsize"},
		Note:       "maxsize=BYTES bounds it",
		Sharing:    backend.Exclusive, // bbolt locks its file
		Open: func(ctx context.Context, o backend.Options) (store.Store, error) {
			options := boltstore.Options{Path: o.Path}
			if size := o.Parameters.Get("maxsize"); size != "" {
				var err error
				if options.MaxSize, err = strconv.Atoi(size); err != nil || options.MaxSize < 1 {
					return nil, fmt.Errorf("maxsize is %q: give a number of bytes", size)
				}
			}
			return boltstore.Open(ctx, options)
		},
	}
}
