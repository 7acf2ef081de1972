package backend

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"strings"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/store"
)

var (
	// ErrNoStore means: the settings name no store, and there is no default one.
	ErrNoStore = errors.New("no place for the data: set PROBLEMS_STORE")
	// ErrPrivate means: the store is inside another process.
	ErrPrivate = errors.New("is only within its server")
	// ErrInUse means: another process has the exclusive store open.
	ErrInUse = errors.New("one process at a time can open it, so stop the service that uses it")
)

// Open opens the store. It sets URL, Path and Parameters of the options. It fails with
// ErrPrivate if a command asks for a private store, and with ErrInUse if another process
// has an exclusive store open. All other errors come from the kind.
func (u URL) Open(ctx context.Context, o Options) (store.Store, error) {
	o, err := u.options(o)
	if err != nil {
		return nil, err
	}
	if !o.Serving && u.Is(Private) {
		return nil, u.private()
	}
	if o.Existing {
		if err := u.exists(); err != nil {
			return nil, err
		}
	}
	s, err := u.kind.Open(ctx, o)
	switch {
	case err != nil && u.Is(Exclusive) && fault.Is(err, fault.Unavailable) && ctx.Err() == nil:
		return nil, fmt.Errorf("%w: %w", err, ErrInUse)
	case err != nil:
		return nil, err
	case s == nil:
		return nil, fmt.Errorf("the kind of store %q is broken: its Open returned neither a store nor an error", u.kind.Name)
	}
	return s, nil
}

// Backup writes a copy of an existing store to an empty file. It returns how many
// problems the copy has.
func (u URL) Backup(ctx context.Context, o Options, to string) (problems int, err error) {
	o, err = u.options(o)
	switch {
	case err != nil:
		return 0, err
	case u.Is(Private):
		return 0, fmt.Errorf("%w: nothing in it outlives that", u.private())
	case !u.HasBackup():
		if u.kind.InsteadOfBackup != "" {
			return 0, errors.New(u.kind.InsteadOfBackup)
		}
		return 0, fmt.Errorf(`%s has no backup of its own: "problems export" writes a file that any kind of store can take in`, u.kind.Name)
	}
	if err := u.exists(); err != nil {
		return 0, err
	}
	return u.kind.Backup(ctx, o, to)
}

// Compact removes the bytes of replaced and deleted texts from an existing store. It returns
// what still has them, each as a noun phrase.
func (u URL) Compact(ctx context.Context, o Options, begun func(part string, bytes int64)) (remains []string, err error) {
	o, err = u.options(o)
	switch {
	case err != nil:
		return nil, err
	case u.Is(Private):
		return nil, fmt.Errorf("%w: it keeps no such bytes", u.private())
	case u.kind.Compact == nil:
		return nil, fmt.Errorf(`%s has no way to compact it: "problems copy" writes everything into an empty store, without such bytes`, u.kind.Name)
	}
	if err := u.exists(); err != nil {
		return nil, err
	}
	return u.kind.Remains, u.kind.Compact(ctx, o, begun)
}

// Examine finds faults of an existing store. examined is false for a kind
// without an examination.
func (u URL) Examine(ctx context.Context, o Options) (findings []Finding, examined bool, err error) {
	o, err = u.options(o)
	switch {
	case err != nil:
		return nil, false, err
	case u.kind.Examine == nil || u.Is(Private):
		return nil, false, nil
	}
	if err := u.exists(); err != nil {
		return nil, false, err
	}
	findings, err = u.kind.Examine(ctx, o)
	return findings, err == nil, err
}

// HasBackup reports whether Backup writes a file.
func (u URL) HasBackup() bool { return u.kind != nil && u.kind.Backup != nil && !u.Is(Private) }

// Schema returns the schema of the store, and the options for its functions. It fails
// when the kind has no schema.
func (u URL) Schema(o Options) (*Schema, Options, error) {
	o, err := u.options(o)
	switch {
	case err != nil:
		return nil, o, err
	case u.kind.Schema == nil:
		return nil, o, fmt.Errorf("%s has no schema to migrate", u.kind.Name)
	}
	return u.kind.Schema, o, nil
}

// options completes the options of a store.
func (u URL) options(o Options) (Options, error) {
	if u.kind == nil {
		return o, ErrNoStore
	}
	o.URL, o.Path = u.text, u.path
	if len(u.kind.Parameters) > 0 {
		_, raw, _ := strings.Cut(u.text, "?")
		raw, _, _ = strings.Cut(raw, "#")
		var err error
		if o.Parameters, err = url.ParseQuery(raw); err != nil {
			return o, fmt.Errorf("the parameters of %s are not percent-encoded: write %%25 for %%", u.kind.Name)
		}
	}
	return o, nil
}

// private returns the error for a store inside another process.
func (u URL) private() error { return fmt.Errorf("%s %w", u.kind.Name, ErrPrivate) }

// exists fails when a store in a file is not there.
func (u URL) exists() error {
	if !u.kind.File {
		return nil
	}
	if _, err := os.Stat(u.path); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf(`there is no store at %s: "problems serve" makes one`, u.path)
	}
	return nil
}
