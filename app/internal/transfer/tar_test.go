package transfer_test

import (
	"archive/tar"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/problemtracking/problems/app/internal/transfer"
	"github.com/problemtracking/problems/domain/blob"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
)

// A tar has all that was put into it, and nothing of a file that failed. No part of it is taken for
// the whole.
func TestTar(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "all.tar")
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	first, second := blob.Key{Problem: 10, Attachment: ident.ID{1}}, blob.Key{Problem: 9, Attachment: ident.ID{2}}
	broken := errors.New("broken")
	w := transfer.NewTarWriter(file)
	put := func(key blob.Key, r io.Reader) error { return w.Put(t.Context(), key, r) }
	if err := w.Archive(func(w io.Writer) error { _, err := io.WriteString(w, "{}\n"); return err }); err != nil {
		t.Fatal(err)
	}
	if err := put(first, strings.NewReader("")); err != nil {
		t.Fatal(err)
	}
	if err := put(second, io.MultiReader(strings.NewReader(strings.Repeat("x", 5000)), iotest.ErrReader(broken))); !errors.Is(err, broken) {
		t.Errorf("a file that fails: %v", err)
	}
	if err := errors.Join(put(second, strings.NewReader("log")), w.End()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "x") || len(text)%512 != 0 {
		t.Errorf("the tar has %d bytes, or some of the file that failed", len(text))
	}
	r, err := transfer.OpenTar(name)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if got, err := io.ReadAll(r.Archive()); err != nil || string(got) != "{}\n" {
		t.Errorf("the archive is %q, %v", got, err)
	}
	for key, want := range map[blob.Key]string{first: "", second: "log"} {
		content, err := r.Open(t.Context(), key, 0, -1)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(content); err != nil || string(got) != want {
			t.Errorf("%s is %q, %v", key, got, err)
		}
	}
	if _, err := r.Open(t.Context(), blob.Key{Problem: 11}, 0, -1); !fault.Is(err, fault.AttachmentNotFound) {
		t.Errorf("an unknown file: %v", err)
	}
	for n := range len(text) {
		if err := os.WriteFile(name, text[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := transfer.OpenTar(name); err == nil || !strings.Contains(err.Error(), "is cut off") {
			t.Fatalf("cut after %d of %d bytes: %v", n, len(text), err)
		}
	}
}

// A tar can come from another program. It names what is wrong.
func TestTarOfOthers(t *testing.T) {
	t.Parallel()
	const file = "files/1/01000000-0000-0000-0000-000000000000"
	for want, names := range map[string][]string{
		"":                                 {"./", "./files/", "./" + file, "README", "./archive.jsonl"},
		"has no archive.jsonl":             {file},
		"it has two entries archive.jsonl": {"archive.jsonl", "./archive.jsonl"},
		"it has two entries " + file:       {"archive.jsonl", file, file},
	} {
		name := filepath.Join(t.TempDir(), "all.tar")
		out, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		w := tar.NewWriter(out)
		for _, entry := range names {
			if err := w.WriteHeader(&tar.Header{Name: entry, Mode: 0o600, Format: tar.FormatPAX}); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(w.Close(), out.Close()); err != nil {
			t.Fatal(err)
		}
		if _, err := transfer.OpenTar(name); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", names, err, want)
		}
	}
}
