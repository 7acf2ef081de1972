package httpapi

import (
	"net/http/httptest"
	"sync"
	"testing"
)

// A pooled buffer belongs to one answer at a time, whatever becomes of it: each answer is
// the same beside others as alone.
func TestBuffersBelongToOneAnswer(t *testing.T) {
	t.Parallel()
	var all sync.WaitGroup
	for n := range 4 {
		f := setup(t)
		f.manyHits([]int{1, 40, 300, 1050}[n]) // of which the last are sent in parts
		get := func(method, path string) string {
			w := httptest.NewRecorder()
			f.ServeHTTP(w, request(method, api+path, ""))
			return w.Body.String()
		}
		paths := []string{"/problems/12", "/problems/search?predicate=TRUEPREDICATE", "/users/search?predicate=TRUEPREDICATE", "/problems/search?predicate=wrong"}
		alone := make([]string, len(paths))
		for i, path := range paths {
			if alone[i] = get("GET", path); len(alone[i]) < 100 {
				t.Fatalf("GET %s: %s", path, alone[i])
			}
		}
		all.Go(func() {
			for range 20 {
				for i, path := range paths {
					if get("GET", path) != alone[i] {
						t.Errorf("GET %s has another answer beside others", path)
					}
					if body := get("HEAD", path); body != "" {
						t.Errorf("HEAD %s: %q", path, body)
					}
				}
			}
		})
	}
	all.Wait()
}
