package transfer

import (
	"errors"
	"io"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/store"
)

// Source supplies records.
type Source interface {
	// Next returns the next record and its line, for use in faults. It fails with
	// io.EOF after an End, and only then.
	Next() (line int64, record Record, err error)
}

// Load returns the content of the source as an Archive for store.Store.Restore. The
// batch becomes the Batch of the Archive, and each Restore needs a new one. Load reads
// all records before the first problem at once. The problems follow one by one, as the
// store iterates over them. A second iteration yields an error.
//
// Every record is checked, and an invalid one gives a *[Fault]. A fault in any record
// ends the Archive's Problems with an error. An error of the source is returned as it
// is.
func Load(source Source, batch ident.ID) (store.Archive, error) {
	c := NewChecker()
	for c.last < KindProblem {
		line, record, err := source.Next()
		if err != nil {
			return store.Archive{}, err
		}
		if _, err := c.Add(line, record); err != nil {
			return store.Archive{}, err
		}
	}
	begun := false
	return store.Archive{
		Batch:     batch,
		Catalogue: c.start.Catalogue,
		Metadata:  c.content,
		Tokens:    c.tokens,
		Queries:   c.queries,
		Audit:     c.audit,
		Problems: func(yield func(store.Dossier, error) bool) {
			if begun {
				yield(store.Dossier{}, errors.New("the problems come from a stream, and the stream has been read already"))
				return
			}
			begun = true
			for {
				line, record, err := source.Next()
				if errors.Is(err, io.EOF) {
					return
				}
				var done *store.Dossier
				if err == nil {
					done, err = c.Add(line, record)
				}
				switch {
				case err != nil:
					yield(store.Dossier{}, err)
					return
				case done != nil && !yield(*done, nil):
					return
				}
			}
		},
	}, nil
}
