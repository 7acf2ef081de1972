package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/problemtracking/problems/app/backend"
)

// Attachments say where the files of attachments are, and bound them (D48).
type Attachments struct {
	Files            FilesURL      `placeholder:"URL" help:"Where the files of attachments are: file:///folder, s3://bucket/prefix, postgres: for the database of the store, memory:, or none for no attachments. Behind s3://bucket/prefix may stand ?endpoint=https://host:9000, region=, style=path or host, ca=file.pem and credentials=file, each behind an &. Default: a folder beside a store in a file, the database of a PostgreSQL store, memory for a store in memory, and otherwise none."`
	MaxFile          Size          `default:"100MiB" placeholder:"SIZE" help:"Largest file of an attachment, with the unit KiB, MiB or GiB. It does not count for --max-problem. Default: ${default}."`
	MaxAllFiles      Size          `default:"10GiB" placeholder:"SIZE" help:"Most bytes of the files of all attachments together; 0 for any number. Files that wait for their removal count. Default: ${default}."`
	FilesReserve     Size          `default:"512MiB" placeholder:"SIZE" help:"Free space that uploads leave on the disk of a folder with files: with a full disk, a store beside them could write nothing. 0 for none. Default: ${default}."`
	MaxAttachments   int           `default:"1000" placeholder:"N" help:"Most attachments of one problem. Default: ${default}."`
	KeepDeletedFiles time.Duration `default:"168h" placeholder:"TIME" help:"Time to keep the files of deleted attachments, for backups that still name them. Default: ${default}."`
}

// FilesURL says where files are. The zero FilesURL leaves it to the store.
type FilesURL struct {
	scheme string
	path   string // of a folder; the whole URL of a bucket
}

// The schemes of a FilesURL.
const (
	filesInFolder   = "file:"
	filesInBucket   = "s3:"
	filesInMemory   = "memory:"
	filesInDatabase = "postgres:"
	filesNowhere    = "none"
)

// UnmarshalText reads "file:///folder", "file:folder", "s3://bucket/prefix", "postgres:",
// "memory:" or "none". A folder behind two slashes would be a host.
func (u *FilesURL) UnmarshalText(text []byte) error {
	switch s := string(text); {
	case s == "", s == filesInMemory, s == filesInDatabase, s == filesNowhere:
		*u = FilesURL{scheme: s}
		return nil
	case strings.HasPrefix(s, filesInBucket):
		if _, err := parseBucket(s); err != nil {
			return err
		}
		*u = FilesURL{filesInBucket, s}
		return nil
	default:
		path, ok := strings.CutPrefix(s, filesInFolder)
		if rest, slashes := strings.CutPrefix(path, "//"); slashes {
			path, ok = rest, ok && strings.HasPrefix(rest, "/")
		}
		if !ok || path == "" || strings.ContainsAny(path, "%?#") {
			return errors.New("has to be file:///folder, s3://bucket/prefix, postgres:, memory: or none")
		}
		*u = FilesURL{filesInFolder, path}
		return nil
	}
}

// Folder returns the folder of the files; "" without one.
func (u FilesURL) Folder() string {
	if u.scheme == filesInBucket {
		return ""
	}
	return u.path
}

// Bucket returns the bucket of the files. ok is false without one.
func (u FilesURL) Bucket() (b FilesBucket, ok bool) {
	if u.scheme != filesInBucket {
		return b, false
	}
	b, err := parseBucket(u.path)
	return b, err == nil
}

// InDatabase reports whether the files are in the database of the store.
func (u FilesURL) InDatabase() bool { return u.scheme == filesInDatabase }

// String returns the text of the setting.
func (u FilesURL) String() string {
	if u.scheme == filesInBucket {
		return u.path
	}
	if filepath.IsAbs(u.path) {
		return u.scheme + "//" + u.path
	}
	return u.scheme + u.path
}

// InMemory reports whether the files are in memory.
func (u FilesURL) InMemory() bool { return u.scheme == filesInMemory }

// Of returns where the files of a store are, by default beside it.
func (u FilesURL) Of(store backend.URL) FilesURL {
	switch {
	case u.scheme != "" || store.Kind() == nil:
		return u
	case store.Path() != "":
		return FilesURL{filesInFolder, strings.TrimSuffix(store.Path(), filepath.Ext(store.Path())) + "-files"}
	case store.IsDatabase():
		return FilesURL{scheme: filesInDatabase}
	case store.Is(backend.Private):
		return FilesURL{scheme: filesInMemory}
	}
	return FilesURL{scheme: filesNowhere}
}

// Check fails for a place that loses the files of a store, or that the store does not have. flag
// names the setting.
func (u FilesURL) Check(flag string, store backend.URL) error {
	const instead = "leave the setting out, or choose file:///folder, s3://bucket/prefix or none"
	switch {
	case store.Kind() == nil:
		return nil
	case u.InMemory() && !store.Is(backend.Private):
		return fmt.Errorf("%s cannot be memory: with a store that lasts, because the end of the process would lose the files: %s", flag, instead)
	case u.InDatabase() && !store.IsDatabase():
		return fmt.Errorf("%s cannot be postgres: with a store that is no such database: %s", flag, instead)
	}
	return nil
}

// AfterApply is called by kong once all flags are set.
func (a *Attachments) AfterApply(f *Faults) error {
	var faults []error
	if a.MaxFile < 1 {
		faults = append(faults, errors.New("--max-file has to be at least 1"))
	}
	if a.KeepDeletedFiles < 0 {
		faults = append(faults, errors.New("--keep-deleted-files cannot be negative"))
	}
	if a.MaxAttachments < 1 {
		faults = append(faults, errors.New("--max-attachments has to be at least 1"))
	}
	return f.Add(faults...)
}
