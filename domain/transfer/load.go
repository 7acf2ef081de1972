package transfer

import (
	"errors"
	"io"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/store"
)

// Source is where records come from.
type Source interface {
	// Next returns the next record and the line that it is on, by which faults
	// name it. After an End, and only then, it fails with io.EOF.
	Next() (line int64, record Record, err error)
}

// Load returns what the source has, for store.Store.Restore. The batch is that of
// the Archive, a new one for every Restore. It reads all that
// stands before the first problem at once, and the problems one by one, as the
// store asks for them, which can be done once: the second time there is an error.
// Every record is checked: what is wrong is a *[Fault], and a fault of any record
// ends the Archive's Problems with an error. An error of the source is returned as
// it is.
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
				yield(store.Dossier{}, errors.New("the problems come from a stream, which has been read before"))
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
