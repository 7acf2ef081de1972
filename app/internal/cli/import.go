package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/problemtracking/problems/adapters/files"
	"github.com/problemtracking/problems/app/internal/config"
	"github.com/problemtracking/problems/app/internal/storage"
	"github.com/problemtracking/problems/app/internal/transfer"
	"github.com/problemtracking/problems/domain/blob"
	"github.com/problemtracking/problems/domain/ident"
)

type importCommand struct {
	config.Storage `embed:"" group:"Store (empty, or not there yet)"`

	filesFlags

	From string `default:"-" placeholder:"FILE" help:"The file to read; - for standard input. Default: ${default}."`
}

// Help is shown by kong.
func (importCommand) Help() string {
	return `Reads the output of "problems export" into an empty store. Run it before the first "problems serve" writes its own metadata there. It checks every line, and imports nothing if one is wrong. Identifiers, dates and revisions stay the same, and tokens stay valid. It creates a missing store. The files of attachments come from the folder beside the file, as "problems export" has made it, or from the same file if its name ends in .tar.

adapters/README.md describes the format, for data from other systems.

Examples:

    problems import --from problems.jsonl --store postgres://ann@db/problems
    problems import --from everything.tar
    zstd -dc problems.jsonl.zst | problems import`
}

// Run is called by kong.
func (c *importCommand) Run(ctx context.Context, p Process) error {
	if err := c.Files.Check("--files", c.Store); err != nil {
		return fmt.Errorf("import: %w", err)
	}
	progress := p.progress()
	in, err := c.source(p) // before a store is made for it
	if err != nil {
		return fmt.Errorf("import: %w", err)
	}
	if in.files != nil {
		defer func() { _ = in.files.Close() }() // it was only read
	}
	progress.Total = in.size
	batch, err := p.batch()
	if err != nil {
		return fmt.Errorf("import: %w", err)
	}
	s, err := storage.OpenNew(ctx, c.Storage, p.logger())
	if err != nil {
		return fmt.Errorf("import: %w", err)
	}
	archive := until(ctx, in.open)
	defer func() { _ = archive.Close() }() // it was only read
	summary, err := transfer.Import(ctx, progress.Reader(archive), s, batch)
	if err = p.finish(progress, summary, err, "Imported"); err == nil && !c.WithoutFiles && in.files != nil {
		err = p.moveFiles(ctx, s, func() (blob.Store, error) { return in.files, nil }, func() (blob.Store, error) { return p.intoNew(ctx, c.Files, c.Store, s) })
	}
	return errors.Join(err, s.Close())
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

// input is what an import reads.
type input struct {
	open  func() (io.ReadCloser, error) // the archive
	size  int64                         // of the archive, in bytes; 0: unknown
	files blob.Store                    // nil: none
}

// source returns the input. A file is open already.
func (c *importCommand) source(p Process) (in input, err error) {
	if c.From == stream {
		in.open = func() (io.ReadCloser, error) { return io.NopCloser(p.Stdin), nil }
		return in, nil
	}
	if isTar(c.From) {
		packed, err := transfer.OpenTar(c.From)
		if err != nil {
			return in, err
		}
		archive := packed.Archive()
		in.open = func() (io.ReadCloser, error) { return io.NopCloser(archive), nil }
		in.size, in.files = archive.Size(), packed
		return in, nil
	}
	in.files = files.OpenFolder(unpackedFiles(c.From))
	info, err := os.Stat(c.From)
	if err != nil {
		return in, err
	}
	if !info.Mode().IsRegular() { // opening a named pipe waits for its writer
		in.open = func() (io.ReadCloser, error) { return os.Open(c.From) }
		return in, nil
	}
	file, err := os.Open(c.From)
	in.open, in.size = func() (io.ReadCloser, error) { return file, nil }, info.Size()
	return in, err
}

// until returns the content of a file up to the end of ctx. Nobody may ever write to it, or
// open a named pipe for writing.
func until(ctx context.Context, open func() (io.ReadCloser, error)) io.ReadCloser {
	r, w := io.Pipe()
	go func() {
		file, err := open()
		if err == nil {
			defer func() { _ = file.Close() }() // it was only read
			_, err = io.Copy(w, file)
		}
		w.CloseWithError(err)
	}()
	context.AfterFunc(ctx, func() { w.CloseWithError(context.Cause(ctx)) })
	return r
}
