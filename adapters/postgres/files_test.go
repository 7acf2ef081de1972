package postgres_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/problemtracking/problems/adapters/postgres"
	"github.com/problemtracking/problems/conformance"
	"github.com/problemtracking/problems/domain/blob"
)

// filesOf are the files of a store that is closed with them.
type filesOf struct {
	blob.Store
	s *postgres.Store
}

func (f filesOf) Close() error { return f.s.Close() }

func TestFiles(t *testing.T) {
	t.Parallel()
	var schemas sync.Map
	conformance.Blobs(t, func(t conformance.T, dir string) blob.Store {
		url, known := schemas.Load(dir)
		if !known {
			url = strings.Replace(migrated.Take(t), "search_path=", "schema=", 1)
			schemas.Store(dir, url)
		}
		s, err := postgres.Open(t.Context(), postgres.Options{URL: url.(string), Connections: 4, Timeout: callPatience})
		if err != nil {
			t.Fatalf("open: %v", err)
		}
		return filesOf{s.Files(), s}
	})
}
