package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/problemtracking/problems/app/internal/config"
	"github.com/problemtracking/problems/app/internal/storage"
	"github.com/problemtracking/problems/app/internal/transfer"
	"github.com/problemtracking/problems/domain/ident"
)

type importCommand struct {
	config.Storage `embed:"" group:"Store (empty, or not there yet)"`

	From string `default:"-" placeholder:"FILE" help:"The file to read; - for standard input. Default: ${default}."`
}

// Help is shown by kong.
func (importCommand) Help() string {
	return `Reads the output of "problems export" into an empty store. Run it before the first "problems serve" writes its own metadata there. It checks every line, and imports nothing if one is wrong. Identifiers, dates and revisions stay the same, and tokens stay valid. It creates a missing store.

adapters/README.md describes the format, for data from other systems.

Examples:

    problems import --from problems.jsonl --store postgres://ann@db/problems
    zstd -dc problems.jsonl.zst | problems import`
}

// Run is called by kong.
func (c *importCommand) Run(ctx context.Context, p Process) error {
	progress := p.progress()
	var in io.Reader
	if c.From != stream {
		file, err := os.Open(c.From) // before a store is made for it
		if err != nil {
			return fmt.Errorf("import: %w", err)
		}
		defer func() { _ = file.Close() }() // it was only read
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
			progress.Total = info.Size()
		}
		in = file
	}
	batch, err := p.batch()
	if err != nil {
		return fmt.Errorf("import: %w", err)
	}
	s, err := storage.OpenNew(ctx, c.Storage, p.logger())
	if err != nil {
		return fmt.Errorf("import: %w", err)
	}
	if in == nil {
		stdin := p.input(ctx)
		defer stdin.Close()
		in = stdin
	}
	summary, err := transfer.Import(ctx, progress.Reader(in), s, batch)
	return errors.Join(p.finish(progress, summary, err, "Imported"), s.Close())
}

// batch returns a new batch, for the filling of a store.
func (p Process) batch() (ident.ID, error) {
	var random [10]byte
	if _, err := io.ReadFull(p.Random, random[:]); err != nil {
		return ident.None, fmt.Errorf("the system has no random numbers: %w", err)
	}
	ids := ident.NewSequence(p.Now(), random)
	return ids.Next(), nil
}

// input returns standard input, up to the end of ctx: nobody may ever write to it.
func (p Process) input(ctx context.Context) io.ReadCloser {
	r, w := io.Pipe()
	go func() {
		_, err := io.Copy(w, p.Stdin)
		w.CloseWithError(err)
	}()
	context.AfterFunc(ctx, func() { w.CloseWithError(context.Cause(ctx)) })
	return r
}
