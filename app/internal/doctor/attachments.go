package doctor

import (
	"context"
	"strings"

	"github.com/problemtracking/problems/app/internal/disk"
	"github.com/problemtracking/problems/app/internal/transfer"
	"github.com/problemtracking/problems/domain/blob"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
)

// attachments looks whether the files of attachments are the store's own, and as in their
// records. It writes nothing to them.
func (f *Findings) attachments(ctx context.Context, service *tracker.Service, opened store.Store, files blob.Store, o Options) {
	if files == nil {
		if some, err := transfer.HasAttachments(ctx, opened); err == nil && some {
			f.grave("set PROBLEMS_FILES as the servers of this store have it", "the store has attachments, and the settings name no place for their files")
		}
		return
	}
	at := o.Settings.Attachments.Files.Of(o.Settings.Storage.Store)
	if at.InMemory() {
		return
	}
	where := at.String()
	if at.InDatabase() {
		where = "the database"
	}
	const accept = "start the service once with --accept-files, if no other one uses them"
	state, err := service.FilesState(ctx)
	switch {
	case err != nil:
		f.grave("make them reachable, with the right to read and write; the error says more", "the files of attachments in %s cannot be used: %v", where, err)
		return
	case state == tracker.FilesMissing:
		f.grave("mount the disk or restore the folder; or "+accept, "the files of attachments are not in %s: uploads and downloads are refused", where)
		return
	case state == tracker.FilesForeign:
		f.grave("give the store a copy of the files; or "+accept, "the files of attachments in %s belong to another store: uploads are refused, and no file is removed", where)
	case state == tracker.FilesDisputed:
		f.warn("give the copy of the store a copy of the files; then "+accept, "the files of attachments in %s were used by a copy of the store: no file is removed", where)
	}
	if folder := at.Folder(); folder != "" && state != tracker.FilesNew {
		if err := disk.Writable(folder); err != nil {
			f.grave("give the user of the service the right to write there", "the folder of attachments takes no file: %v", err)
		}
	}
	f.compareFiles(ctx, opened, files, where, o.Digests)
}

// compareFiles compares the files with their records.
func (f *Findings) compareFiles(ctx context.Context, opened store.Store, files blob.Store, where string, digests bool) {
	c, err := transfer.CompareFiles(ctx, opened, files, digests)
	switch {
	case err != nil:
		f.grave("the error says what would be right", "the files of attachments in %s cannot be read: %v", where, err)
	case len(c.Wrong) > 0:
		f.warn("restore them from a backup of the files", "of the files of attachments in %s, %d are missing, and %d are not as in their records: %s", where, c.Missing, c.Damaged, strings.Join(c.Wrong, ", "))
	case c.Right > 0:
		f.note("%d files of attachments are as in their records", c.Right)
	}
}
