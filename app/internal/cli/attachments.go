package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/problemtracking/problems/app/backend"
	"github.com/problemtracking/problems/app/internal/config"
	"github.com/problemtracking/problems/app/internal/serve"
	"github.com/problemtracking/problems/app/internal/transfer"
	"github.com/problemtracking/problems/domain/blob"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
)

// filesFlags are for moving the files of attachments.
type filesFlags struct {
	Files        config.FilesURL `placeholder:"URL" help:"Where the files of attachments are: see \"problems serve --help\". Default: that of the store."`
	WithoutFiles bool            `help:"Leave the files of attachments where they are."`
}

// filesBeside returns the folder with the files of an archive: "problems.jsonl" has
// "problems-files". Files are no part of a stream.
func filesBeside(archive string) string {
	return strings.TrimSuffix(archive, filepath.Ext(archive)) + "-files"
}

// unpackedFiles returns the folder with the files of an archive that is there: filesBeside, or the
// folder "files" of an unpacked tar.
func unpackedFiles(archive string) string {
	folder := filesBeside(archive)
	if _, err := os.Stat(folder); err != nil {
		unpacked := filepath.Join(filepath.Dir(archive), "files")
		if _, err := os.Stat(unpacked); err == nil {
			return unpacked
		}
	}
	return folder
}

// isTar reports whether an archive is a tar with its files, by its name.
func isTar(archive string) bool { return strings.EqualFold(filepath.Ext(archive), ".tar") }

// intoNew returns the files of a store that was just filled, as its own. Those of another store are
// refused: it would remove what is added.
func (p Process) intoNew(ctx context.Context, at config.FilesURL, url backend.URL, s store.Store) (blob.Store, error) {
	to := p.filesOf(at, url, s)
	if to == nil {
		return nil, nil
	}
	state, err := tracker.New(tracker.Options{Store: s, Now: p.Now, Random: p.Random, Limits: tracker.DefaultLimits(), Files: to}).ClaimFiles(ctx)
	if err == nil && state.Err() != nil {
		err = errors.New("no file was copied: the place for files belongs to another store. Name a place of this store's own. If the other store is gone, use its place, and start once with \"problems serve --accept-files\"")
	}
	return to, err
}

// filesOf returns the files of an open store; nil if it has none.
func (p Process) filesOf(at config.FilesURL, url backend.URL, s store.Store) blob.Store {
	return serve.FileStore(config.Settings{Storage: config.Storage{Store: url}, Attachments: config.Attachments{Files: at}}, p.Now, func() store.Store { return s })
}

// moveFiles copies the files of the attachments of a store, if there are any, and says so. from
// and to are opened for that only.
func (p Process) moveFiles(ctx context.Context, of store.Store, from, to func() (blob.Store, error)) error {
	moved, err := p.copyFiles(ctx, of, from, to)
	if err != nil {
		return fmt.Errorf("the records are complete, and the files of attachments are not: %w. Copy the rest of them by hand", err)
	}
	return p.tellMoved(moved)
}

// copyFiles copies files. It returns nil when there are none to tell of.
func (p Process) copyFiles(ctx context.Context, of store.Store, from, to func() (blob.Store, error)) (*transfer.Files, error) {
	some, err := transfer.HasAttachments(ctx, of)
	if err != nil || !some {
		return nil, err
	}
	source, err := from()
	if err != nil {
		return nil, err
	}
	target, err := to()
	if err != nil {
		return nil, err
	}
	if source == nil || target == nil {
		_, err = fmt.Fprintln(p.Stderr, "The files of attachments were left out: name a place for them with --files, or say --without-files.")
		return nil, err
	}
	moved, err := transfer.CopyFiles(ctx, of, source, target)
	return &moved, err
}

// tellMoved says what was copied. It fails if files were damaged.
func (p Process) tellMoved(moved *transfer.Files) error {
	if moved == nil {
		return nil
	}
	_, err := fmt.Fprintf(p.Stderr, "Copied %d files of attachments, with %d bytes.\n", moved.Copied, moved.Bytes)
	if moved.Missing > 0 && err == nil {
		_, err = fmt.Fprintf(p.Stderr, "%d files are missing where they should be: their attachments have no bytes.\n", moved.Missing)
	}
	if moved.Damaged > 0 && err == nil {
		err = fmt.Errorf("%d files are damaged where they come from, and were left out, such as %s. All the rest is complete", moved.Damaged, strings.Join(moved.Wrong, ", "))
	}
	return err
}
