package transfer

import (
	"errors"
	"io"

	"github.com/problemtracking/problems/domain/event"
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
// store iterates over them, and then the feed. A second iteration yields an error.
//
// Every record is checked, and an invalid one gives a *[Fault]. A fault in any record
// ends the Archive's Problems or its Feed with an error. An error of the source is
// returned as it is.
func Load(source Source, batch ident.ID) (store.Archive, error) {
	c := NewChecker()
	rest := &rest{source: source, checker: c}
	for c.last < KindProblem {
		line, record, err := source.Next()
		if err != nil {
			return store.Archive{}, err
		}
		if _, err := c.Add(line, record); err != nil {
			return store.Archive{}, err
		}
		if e, ok := record.(Event); ok { // there are no problems
			rest.first, rest.ended = &e, true
		}
	}
	return store.Archive{
		Batch:     batch,
		Catalogue: c.start.Catalogue,
		Metadata:  c.content,
		Tokens:    c.tokens,
		Queries:   c.queries,
		Webhooks:  c.webhooks,
		Audit:     c.audit,
		Problems:  rest.problems,
		Feed:      rest.feed,
	}, nil
}

// rest reads the problems and the feed of an archive from their stream.
type rest struct {
	source       Source
	checker      *Checker
	begun, ended bool   // of the problems
	first        *Event // already read behind the problems
}

// next returns the next record, after its check. done is the problem that it completes.
// It fails with io.EOF at the end.
func (r *rest) next() (record Record, done *store.Dossier, err error) {
	line, record, err := r.source.Next()
	if err == nil {
		done, err = r.checker.Add(line, record)
	}
	return record, done, err
}

func (r *rest) problems(yield func(store.Dossier, error) bool) {
	if r.begun {
		yield(store.Dossier{}, errors.New("the problems come from a stream, and the stream has been read already"))
		return
	}
	r.begun = true
	for !r.ended {
		record, done, err := r.next()
		if errors.Is(err, io.EOF) {
			r.ended = true
			return
		}
		if err != nil {
			yield(store.Dossier{}, err)
			return
		}
		if e, ok := record.(Event); ok {
			r.first, r.ended = &e, true
		}
		if done != nil && !yield(*done, nil) {
			return
		}
	}
}

func (r *rest) feed(yield func(event.Entry, error) bool) {
	if !r.ended {
		yield(event.Entry{}, errors.New("the feed comes behind the problems of a stream, and they have not been read to their end"))
		return
	}
	if r.first == nil {
		return
	}
	entry := entryOf(*r.first)
	r.first = nil
	for {
		record, _, err := r.next()
		if errors.Is(err, io.EOF) {
			yield(entry, nil)
			return
		}
		if err != nil {
			yield(event.Entry{}, err)
			return
		}
		e, ok := record.(Event)
		switch {
		case !ok: // the End; io.EOF follows
		case e.Number == entry.Number:
			entry.Events = append(entry.Events, e.Event)
		case !yield(entry, nil):
			return
		default:
			entry = entryOf(e)
		}
	}
}

// entryOf returns the entry that begins with an event.
func entryOf(e Event) event.Entry {
	return event.Entry{Number: e.Number, Batch: e.Batch, At: e.At, Author: e.Author, Via: e.Via, Events: []event.Event{e.Event}}
}
