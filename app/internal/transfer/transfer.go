// Package transfer moves all data of a store: into an archive, out of one, or straight
// into another store.
package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/problemtracking/problems/adapters/archive"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/transfer"
)

// Export writes all data of the store at one moment; the service may be running. Its
// errors are sentences for operators, as are those of Import and Copy.
func Export(ctx context.Context, from store.Store, w io.Writer) (archive.Summary, error) {
	s, err := export(ctx, from, w)
	if err != nil {
		return s, fmt.Errorf("export: %w", explainRead(ctx, err))
	}
	return s, nil
}

// Import fills an empty store with an archive, all of it or nothing. Every line is
// checked. The batch is a new one. It tells the filled store from others.
func Import(ctx context.Context, r io.Reader, to store.Store, batch ident.ID) (archive.Summary, error) {
	s, err := restore(ctx, r, to, batch)
	if err != nil {
		return s, fmt.Errorf("import: %w; %s", explain(ctx, err), outcome(err, "imported"))
	}
	return s, nil
}

// Copy fills an empty store with all data of another one, all of it or nothing: an export
// and its import, with only watch between them. The batch is that of Import.
func Copy(ctx context.Context, from, to store.Store, batch ident.ID, watch func(io.Reader) io.Reader) (archive.Summary, error) {
	r, w := io.Pipe()
	exported := make(chan error, 1)
	go func() {
		_, err := export(ctx, from, w)
		exported <- err
		w.CloseWithError(err)
	}()
	s, err := restore(ctx, watch(r), to, batch)
	r.CloseWithError(errStopped)
	// The failure of the export is the cause, unless it was the end of the import.
	if failed := <-exported; failed != nil && !errors.Is(failed, errStopped) {
		return s, fmt.Errorf("copy: %w; nothing was copied", explainRead(ctx, failed))
	}
	if err != nil {
		return s, fmt.Errorf("copy: %w; %s", explain(ctx, err), outcome(err, "copied"))
	}
	return s, nil
}

// errStopped ends an export without a reader.
var errStopped = errors.New("the import has ended")

func export(ctx context.Context, from store.Store, w io.Writer) (s archive.Summary, err error) {
	// This gives the entries of the feed their final numbers: only Changes from here to
	// the View can have others in the archive.
	if _, _, err := from.FeedEnds(ctx); err != nil {
		return s, err
	}
	err = from.View(ctx, func(r store.Reader) error {
		s, err = archive.Write(ctx, w, r)
		return err
	})
	return s, err
}

func restore(ctx context.Context, r io.Reader, to store.Store, batch ident.ID) (archive.Summary, error) {
	source := archive.NewReader(r)
	content, err := transfer.Load(source, batch)
	if err == nil {
		content.Problems = ahead(content.Problems)
		err = to.Restore(ctx, content)
	}
	return source.Summary(), err
}

// ahead reads and checks problems while the store writes those before them.
func ahead(problems iter.Seq2[store.Dossier, error]) iter.Seq2[store.Dossier, error] {
	type read struct {
		dossier store.Dossier
		err     error
	}
	return func(yield func(store.Dossier, error) bool) {
		queue, stop := make(chan read, 16), make(chan struct{})
		defer func() {
			close(stop)
			for range queue { // until nothing reads any more
			}
		}()
		go func() {
			defer close(queue)
			for dossier, err := range problems {
				select {
				case queue <- read{dossier, err}:
				case <-stop:
					return
				}
			}
		}()
		for r := range queue {
			if !yield(r.dossier, r.err) {
				return
			}
		}
	}
}

// explain returns an error as operators understand it.
func explain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return errors.New("interrupted")
	}
	f, ok := errors.AsType[*fault.Error](err)
	switch {
	case !ok:
		return err
	case f.Kind == fault.Conflict:
		return errors.New(`the store is not empty: only an empty one is filled, before the first "problems serve"`)
	case f.Err != nil:
		return fmt.Errorf("%s: %w", f.Detail, f.Err)
	default:
		return errors.New(f.Detail)
	}
}

// outcome describes the result of a failed import.
func outcome(err error, done string) string {
	if fault.Is(err, fault.UnknownOutcome) {
		return "whether all or nothing was " + done + " is not known"
	}
	return "nothing was " + done
}
