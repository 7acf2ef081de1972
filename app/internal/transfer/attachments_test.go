package transfer_test

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	filestore "github.com/problemtracking/problems/adapters/files"
	"github.com/problemtracking/problems/adapters/memory"
	"github.com/problemtracking/problems/app/internal/transfer"
	"github.com/problemtracking/problems/domain/blob"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// D48: files are copied by their records, once, and none that is damaged. A missing one is
// counted.
func TestCopyFiles(t *testing.T) {
	t.Parallel()
	s, err := memory.Open(t.Context(), memory.Options{})
	if err != nil {
		t.Fatal(err)
	}
	from, to := filestore.NewMemory(time.Now), filestore.NewMemory(time.Now)
	var ids ident.ID
	add := func(p problem.ID, file string, digest problem.Digest, deleted time.Time) blob.Key {
		_, _ = rand.Read(ids[:]) // never fails
		if _, err := s.Commit(t.Context(), store.Change{Batch: ids, Effects: []store.Effect{store.PutAttachment{Problem: p, Attachment: problem.Attachment{ID: ids, Bytes: int64(len(file)), Digest: digest, Deleted: deleted}}}}); err != nil {
			t.Fatal(err)
		}
		key := blob.Key{Problem: p, Attachment: ids}
		if file != "" {
			if err := from.Put(t.Context(), key, strings.NewReader(file)); err != nil {
				t.Fatal(err)
			}
		}
		return key
	}
	var last ident.ID
	for _, p := range []problem.ID{1, 2, 1000, 5000} {
		if _, err := s.Commit(t.Context(), store.Change{Batch: ident.ID{byte(p), byte(p >> 8)}, Effects: []store.Effect{store.CreateProblem{Problem: problem.Problem{ID: p}}}}); err != nil {
			t.Fatal(err)
		}
		file := strings.Repeat("x", int(p))
		key := add(p, file, sha256.Sum256([]byte(file)), time.Time{})
		last = key.Attachment
		defer func() {
			r, err := to.Open(t.Context(), key, 0, -1)
			if err != nil {
				t.Fatal(err)
			}
			if got, _ := io.ReadAll(r); !bytes.Equal(got, []byte(file)) {
				t.Errorf("%s has %d bytes", key, len(got))
			}
		}()
	}
	add(2, "", problem.Digest{}, time.Time{})
	add(2, "", problem.Digest{}, time.Now())
	for _, want := range []transfer.Files{{Copied: 4, Bytes: 6003, Missing: 1}, {Missing: 1}} {
		if got, err := transfer.CopyFiles(t.Context(), s, from, to); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("copied %+v, %v, want %+v", got, err, want)
		}
	}
	wrong := add(1000, "damaged", problem.Digest{1}, time.Time{})
	for digests, damaged := range map[bool]int64{false: 0, true: 1} {
		got, err := transfer.CompareFiles(t.Context(), s, from, digests)
		if err != nil || got.Right != 5-damaged || got.Missing != 1 || got.Damaged != damaged || int64(len(got.Wrong)) != 1+damaged {
			t.Errorf("compared with digests %v: %+v, %v", digests, got, err)
		}
	}
	// A damaged file keeps no other one from its place, and one in the place of another goes.
	replaced := blob.Key{Problem: 5000, Attachment: last}
	if err := errors.Join(to.Delete(t.Context(), replaced), to.Put(t.Context(), replaced, strings.NewReader("another"))); err != nil {
		t.Fatal(err)
	}
	want := transfer.Files{Copied: 1, Bytes: 5000, Missing: 1, Damaged: 1, Wrong: []string{wrong.String()}}
	if got, err := transfer.CopyFiles(t.Context(), s, from, to); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("with a damaged file: %+v, %v, want %+v", got, err, want)
	}
}
