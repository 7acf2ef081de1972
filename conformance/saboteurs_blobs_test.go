package conformance

import (
	"bytes"
	"context"
	"io"
	"iter"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/problemtracking/problems/conformance/internal/blobs"
	"github.com/problemtracking/problems/conformance/internal/engine"
	"github.com/problemtracking/problems/conformance/report"
	"github.com/problemtracking/problems/domain/blob"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
)

// shelf is a plain blob.Store with one defect, if any.
type shelf struct {
	*disk
	defect string
	put    map[blob.Key]shelved // since it was opened
}

// disk is what stays when a shelf is closed.
type disk struct {
	mu    sync.Mutex
	files map[blob.Key]shelved
	owner ident.ID
}

type shelved struct {
	data []byte
	at   time.Time
}

func (s *shelf) has(defect string) bool { return s.defect == defect }

func (s *shelf) Put(ctx context.Context, key blob.Key, r io.Reader) error {
	var data []byte
	if err := ctx.Err(); err != nil {
		return err
	}
	for buf := make([]byte, 1000); ; {
		n, err := r.Read(buf)
		data = append(data, buf[:n]...)
		if s.has("shows a part of a file") {
			s.store(key, data)
		}
		if err == nil {
			err = ctx.Err()
		}
		if err == io.EOF {
			break
		}
		if err != nil && s.has("keeps the part before an error") {
			s.store(key, data)
		}
		if err != nil {
			return err
		}
	}
	s.mu.Lock()
	_, taken := s.files[key]
	s.mu.Unlock()
	if taken && !s.has("replaces a file") {
		return fault.New(fault.Conflict, "taken")
	}
	if s.has("cuts a large file") {
		data = data[:min(len(data), 1<<20)]
	}
	if !s.store(key, data) && !s.has("replaces a file") {
		return fault.New(fault.Conflict, "taken")
	}
	return nil
}

// store reports whether the key was free.
func (s *shelf) store(key blob.Key, data []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, taken := s.files[key]
	s.files[key] = shelved{slices.Clone(data), time.Now()}
	s.put[key] = s.files[key]
	return !taken
}

func (s *shelf) Open(ctx context.Context, key blob.Key, from, n int64) (io.ReadCloser, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := ctx.Err(); err != nil && !s.has("does not look at its context") {
		return nil, err
	}
	file, there := s.files[key]
	if !there && !s.has("takes a missing file for an empty one") {
		return nil, fault.New(fault.AttachmentNotFound, "missing")
	}
	data := file.data[min(from, int64(len(file.data))):]
	if s.has("starts a range one byte late") && from > 0 && len(data) > 0 {
		data = data[1:]
	}
	if n >= 0 && !s.has("reads a range to the end of the file") {
		data = data[:min(n, int64(len(data)))]
	}
	return io.NopCloser(bytes.NewReader(data)), nil
}

func (s *shelf) Delete(_ context.Context, key blob.Key) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, there := s.files[key]; !there && s.has("refuses to delete a missing file") {
		return fault.New(fault.AttachmentNotFound, "missing")
	}
	delete(s.files, key)
	if s.has("deletes all files of the problem") {
		maps.DeleteFunc(s.files, func(other blob.Key, _ shelved) bool { return other.Problem == key.Problem })
	}
	return nil
}

func (s *shelf) List(ctx context.Context, after blob.Key) iter.Seq2[blob.Info, error] {
	return func(yield func(blob.Info, error) bool) {
		if err := ctx.Err(); err != nil {
			yield(blob.Info{}, err)
			return
		}
		order := blob.Key.Compare
		if s.has("lists by number") {
			order = func(a, b blob.Key) int { return int(a.Problem) - int(b.Problem) }
		}
		s.mu.Lock()
		files := maps.Clone(s.files)
		s.mu.Unlock()
		for _, key := range slices.SortedStableFunc(maps.Keys(files), order) {
			if after != (blob.Key{}) && (key.Compare(after) < 0 || key == after && !s.has("lists the given key again")) {
				continue
			}
			info := blob.Info{Key: key, Size: int64(len(files[key].data)), Stored: files[key].at}
			if s.has("lists without times") {
				info.Stored = time.Time{}
			}
			if !yield(info, nil) {
				return
			}
		}
	}
}

func (s *shelf) Owner(ctx context.Context) (ident.ID, error) { return s.owner, ctx.Err() }

func (s *shelf) Own(_ context.Context, owner ident.ID) error {
	if s.owner.IsNone() || !s.has("keeps the first owner") {
		s.owner = owner
	}
	return nil
}

func (s *shelf) Close() error {
	if s.has("does not sync") {
		maps.DeleteFunc(s.files, func(key blob.Key, _ shelved) bool { _, late := s.put[key]; return late })
	}
	return nil
}

// TestBlobSaboteurs plants one defect after the other in a store of files, and looks which
// cases catch it. The store without a defect passes all.
func TestBlobSaboteurs(t *testing.T) {
	t.Parallel()
	for defect, caught := range map[string]string{
		"": "", "does not sync": "BLOB-001", "cuts a large file": "BLOB-001", "shows a part of a file": "BLOB-002", "keeps the part before an error": "BLOB-003",
		"replaces a file": "BLOB-004", "starts a range one byte late": "BLOB-005", "reads a range to the end of the file": "BLOB-005",
		"takes a missing file for an empty one": "BLOB-006", "deletes all files of the problem": "BLOB-007", "refuses to delete a missing file": "BLOB-007",
		"lists by number": "BLOB-008", "lists the given key again": "BLOB-008", "lists without times": "BLOB-008",
		"keeps the first owner": "BLOB-009", "does not look at its context": "BLOB-010",
	} {
		t.Run(defect, func(t *testing.T) {
			t.Parallel()
			var disks sync.Map
			open := func(_ engine.T, dir string) blob.Store {
				kept, _ := disks.LoadOrStore(dir, &disk{files: map[blob.Key]shelved{}})
				return &shelf{kept.(*disk), defect, map[blob.Key]shelved{}}
			}
			found := map[string]bool{}
			var jobs []engine.Job
			for _, c := range blobs.Cases() {
				jobs = append(jobs, engine.Job{Case: report.Case{ID: c.ID}, Limit: time.Minute, Do: func(r *engine.Run) { c.Run(blobs.NewBench(r, open)) }})
			}
			for _, c := range engine.Execute(t.Context(), jobs, 2) {
				found[c.ID] = c.Status != report.Passed
				if defect == "" && found[c.ID] {
					t.Errorf("a store without a defect fails %s: %v", c.ID, c.Failure)
				}
			}
			if defect != "" && !found[caught] {
				t.Errorf("no case %s catches it: %v", caught, found)
			}
		})
	}
}
