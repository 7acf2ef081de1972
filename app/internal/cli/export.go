package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/problemtracking/problems/adapters/archive"
	"github.com/problemtracking/problems/adapters/files"
	"github.com/problemtracking/problems/app/backend"
	"github.com/problemtracking/problems/app/internal/config"
	"github.com/problemtracking/problems/app/internal/storage"
	"github.com/problemtracking/problems/app/internal/transfer"
	"github.com/problemtracking/problems/domain/blob"
	"github.com/problemtracking/problems/domain/store"
)

// stream is the name of standard input and standard output.
const stream = "-"

type exportCommand struct {
	config.Storage `embed:"" group:"Store (the service may be running)"`

	filesFlags

	To    string `default:"-" placeholder:"FILE" help:"The file to write. Only you can read it. - for standard output. Default: ${default}."`
	Force bool   `help:"Replace an existing file. The command replaces only regular files."`
}

// Help is shown by kong.
func (exportCommand) Help() string {
	return `Writes the content at one moment, as JSON Lines with a manifest at the end: metadata, users, tokens, and problems with all their parts. Tokens are hashes, and stay valid. Stored answers for Idempotency-Key are left out. "problems import" reads the output into a store of any kind. A file appears only when it is complete. The files of attachments go into a folder beside it: everything-files beside everything.jsonl. A file whose name ends in .tar has the output, archive.jsonl, and the files in one: files/{problem}/{attachment}. Standard output has no files.

Examples:

    problems export --to everything.jsonl
    problems export --to everything.tar
    problems export --store postgres://ann@db/problems | zstd > problems.jsonl.zst`
}

// Run is called by kong.
func (c *exportCommand) Run(ctx context.Context, p Process) error {
	if err := c.Files.Check("--files", c.Store); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	s, err := storage.Open(ctx, c.Storage, p.logger())
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return errors.Join(c.export(ctx, p, s), s.Close())
}

func (c *exportCommand) export(ctx context.Context, p Process, s store.Store) error {
	progress := p.progress()
	if c.To == stream {
		if p.Terminal { // it would be drawn into the exported data
			progress.Terminal = nil
		}
		summary, err := transfer.Export(ctx, s, progress.Writer(p.Stdout))
		if err = p.finish(progress, summary, err, "Exported"); err == nil && !c.WithoutFiles {
			err = p.tellOfFiles(ctx, s)
		}
		return err
	}
	folder := filesBeside(c.To)
	if !c.WithoutFiles && !isTar(c.To) && backend.IsSameFile(c.Files.Of(c.Store).Folder(), folder) {
		return fmt.Errorf("export: %s has the files of the store itself: choose another name for the archive, such as everything.jsonl", folder)
	}
	file, err := transfer.CreateFile(c.To, c.Force)
	if err != nil {
		return exportError(err)
	}
	from := func() (blob.Store, error) { return p.filesOf(c.Files, c.Store, s), nil }
	if isTar(c.To) {
		return c.exportTar(ctx, p, s, file, from)
	}
	summary, err := transfer.Export(ctx, s, progress.Writer(file))
	if err != nil {
		err = errors.Join(err, file.Discard())
	} else if err = file.Keep(); err != nil {
		err = exportError(err)
	}
	if err = p.finish(progress, summary, err, "Exported"); err != nil || c.WithoutFiles {
		return err
	}
	return p.moveFiles(ctx, s, from, func() (blob.Store, error) {
		f, err := files.MakeFolder(folder)
		if err != nil {
			return nil, err
		}
		return f, nil
	})
}

// exportTar writes the archive and its files into one file. It appears when it has all of them, but
// for those that are damaged where they come from.
func (c *exportCommand) exportTar(ctx context.Context, p Process, s store.Store, file *transfer.File, from func() (blob.Store, error)) error {
	progress := p.progress()
	to := transfer.NewTarWriter(file.File)
	var summary archive.Summary
	err := to.Archive(func(w io.Writer) (err error) {
		summary, err = transfer.Export(ctx, s, progress.Writer(w))
		return err
	})
	var moved *transfer.Files
	if err == nil && !c.WithoutFiles {
		if moved, err = p.copyFiles(ctx, s, from, func() (blob.Store, error) { return to, nil }); err != nil {
			err = fmt.Errorf("export: the files of attachments: %w", err)
		}
	}
	if err == nil {
		err = to.End()
	}
	if err != nil {
		err = errors.Join(fmt.Errorf("%w; nothing was exported", err), file.Discard())
	} else if err = file.Keep(); err != nil {
		err = exportError(err)
	}
	if err = p.finish(progress, summary, err, "Exported"); err != nil {
		return err
	}
	return p.tellMoved(moved)
}

// tellOfFiles says that standard output has no files, if the store has attachments.
func (p Process) tellOfFiles(ctx context.Context, s store.Store) error {
	some, err := transfer.HasAttachments(ctx, s)
	if err == nil && some {
		_, err = fmt.Fprintln(p.Stderr, "The files of attachments were left out, because standard output has none: export --to a file, or copy them by other means.")
	}
	return err
}

// exportError adds to an error about an existing file the flag for replacing it.
func exportError(err error) error {
	if errors.Is(err, transfer.ErrTaken) {
		return fmt.Errorf("export: %w, or --force to replace it", err)
	}
	return fmt.Errorf("export: %w", err)
}

// progress returns a progress bar for a terminal.
func (p Process) progress() *transfer.Progress {
	progress := &transfer.Progress{Now: p.Now}
	if p.ErrTerminal {
		progress.Terminal = p.Stderr
	}
	return progress
}

// finish prints the result of a successful transfer.
func (p Process) finish(progress *transfer.Progress, s archive.Summary, err error, done string) error {
	progress.End()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.Stderr, "%s %d problems, in %d records.\n", done, s.Problems, s.Records)
	return err
}
