package transfer

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"

	"github.com/problemtracking/problems/domain/blob"
	"github.com/problemtracking/problems/domain/fault"
)

// The entries of a tar. An export of the same content has the same bytes.
const (
	tarArchive = "archive.jsonl"
	tarFiles   = "files/" // then the keys
	tarBlock   = 512
)

// TarWriter writes an archive and the files of its attachments into a tar. Of blob.Store, it has
// what CopyFiles needs of a new place.
type TarWriter struct {
	blob.Store

	to  *os.File
	end int64 // of the entries
}

// NewTarWriter returns the writer of an empty file.
func NewTarWriter(to *os.File) *TarWriter { return &TarWriter{to: to} }

// Archive adds what a function writes, as the archive.
func (t *TarWriter) Archive(write func(io.Writer) error) error { return t.add(tarArchive, write) }

// Put implements blob.Store.
func (t *TarWriter) Put(_ context.Context, key blob.Key, r io.Reader) error {
	return t.add(tarFiles+key.String(), func(w io.Writer) error {
		_, err := io.Copy(w, r)
		return err
	})
}

// add adds an entry. Its header has its length, so it is written last. After an error, the next
// entry takes the place.
func (t *TarWriter) add(name string, write func(io.Writer) error) error {
	content := &counting{w: io.NewOffsetWriter(t.to, t.end+tarBlock)}
	if err := write(content); err != nil {
		return err
	}
	size := content.n
	if _, err := content.Write(make([]byte, padded(size)-size)); err != nil {
		return err
	}
	var header bytes.Buffer
	err := tar.NewWriter(&header).WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o600, Format: tar.FormatGNU})
	if err == nil {
		_, err = t.to.WriteAt(header.Bytes(), t.end)
	}
	if err == nil {
		t.end += tarBlock + content.n
	}
	return err
}

func padded(size int64) int64 { return (size + tarBlock - 1) / tarBlock * tarBlock }

// End ends the tar: with zeros, in the place of what a failed entry has left.
func (t *TarWriter) End() error {
	return errors.Join(t.to.Truncate(t.end), t.to.Truncate(t.end+2*tarBlock))
}

type counting struct {
	w io.Writer
	n int64
}

func (c *counting) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// TarReader reads a tar of TarWriter, or one with its entries in another order. Of blob.Store, it
// has what CopyFiles needs of a source.
type TarReader struct {
	blob.Store

	from    *os.File
	archive *io.SectionReader
	files   map[blob.Key]span
}

// span is the place of bytes in a file.
type span struct{ at, size int64 }

// OpenTar looks through a tar. It fails unless the tar is whole and has an archive.
func OpenTar(name string) (t *TarReader, err error) {
	from, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = from.Close() // it was only read
		}
	}()
	if info, err := from.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, fmt.Errorf("%s is no regular file: a tar has to be one", name))
	}
	t = &TarReader{from: from, files: map[blob.Key]span{}}
	switch err := t.scan(); {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, fmt.Errorf("%s is cut off: take a whole copy of it", name)
	case err != nil:
		return nil, fmt.Errorf("%s cannot be read as a tar: %w", name, err)
	case t.archive == nil:
		return nil, fmt.Errorf("%s has no %s: \"problems export --to everything.tar\" writes one", name, tarArchive)
	}
	return t, nil
}

// scan notes where the entries are.
func (t *TarReader) scan() error {
	entries, end := tar.NewReader(t.from), int64(0)
	for {
		header, err := entries.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		at, err := t.from.Seek(0, io.SeekCurrent) // the content
		if err != nil {
			return err
		}
		end = at + padded(header.Size)
		name := path.Clean(header.Name)
		key, isKey := blob.ParseKey(strings.TrimPrefix(name, tarFiles))
		_, known := t.files[key]
		switch {
		case header.Typeflag != tar.TypeReg:
			end = at
		case name == tarArchive && t.archive == nil:
			t.archive = io.NewSectionReader(t.from, at, header.Size)
		case name == tarArchive || isKey && known:
			return fmt.Errorf("it has two entries %s", name)
		case isKey:
			t.files[key] = span{at, header.Size}
		}
	}
	// A tar that is cut between two entries looks like an end to the library.
	zeros := make([]byte, 2*tarBlock)
	if n, _ := t.from.ReadAt(zeros, end); n < len(zeros) {
		return io.ErrUnexpectedEOF
	}
	return nil
}

// Archive returns the archive.
func (t *TarReader) Archive() *io.SectionReader { return t.archive }

// Open implements blob.Store, for whole files.
func (t *TarReader) Open(_ context.Context, key blob.Key, _, _ int64) (io.ReadCloser, error) {
	place, ok := t.files[key]
	if !ok {
		return nil, fault.New(fault.AttachmentNotFound, "there is no file %s", key)
	}
	return io.NopCloser(io.NewSectionReader(t.from, place.at, place.size)), nil
}

// Close implements blob.Store.
func (t *TarReader) Close() error { return t.from.Close() }
