package sqlite

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"

	"github.com/uptrace/bun"

	"github.com/problemtracking/problems/adapters/internal/sqlstore"
)

// keepCopy copies the file before a final step, because nothing undoes it: to the name of
// the file with .before- and the step. A file without any step has nothing to keep.
func (f file) keepCopy(ctx context.Context, db *bun.DB, logger *slog.Logger) (err error) {
	if err := connectFirst(ctx, db); err != nil {
		return err
	}
	all, err := status(ctx, db, f.steps)
	if err != nil {
		return err
	}
	next := slices.IndexFunc(all, func(m sqlstore.Migration) bool { return m.Final && !m.Applied })
	if next < 0 || !slices.ContainsFunc(all, func(m sqlstore.Migration) bool { return m.Applied }) {
		return nil
	}
	to := f.path + ".before-" + all[next].Name
	partial, err := os.CreateTemp(filepath.Dir(f.path), filepath.Base(to)+".*")
	if err != nil {
		return fmt.Errorf("the file cannot be copied before an irreversible step: %w", err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(partial.Name()) // the error before is the one to read
			err = fmt.Errorf("the file cannot be copied to %s before an irreversible step, so nothing was changed: %w", to, err)
		}
	}()
	if _, err = db.DB.ExecContext(ctx, "VACUUM INTO ?", partial.Name()); err == nil {
		_, err = markCopied(ctx, partial.Name())
	}
	if err = errors.Join(err, partial.Sync(), partial.Close()); err != nil {
		return err
	}
	if err = os.Rename(partial.Name(), to); err != nil {
		return err
	}
	if logger != nil {
		logger.Info("the file was copied, because an older version cannot use it after the next step", "step", all[next].Name, "copy", to)
	}
	return nil
}
