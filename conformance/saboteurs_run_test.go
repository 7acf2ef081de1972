package conformance

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/problemtracking/problems/conformance/harness"
	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/model"
	"github.com/problemtracking/problems/conformance/report"
	"github.com/problemtracking/problems/domain/store"
)

var matrixFlag = flag.String("saboteurs.matrix", "", "file for a table of all saboteurs and all cases that catch them, which takes minutes")

// allSaboteurs returns every store that is broken on purpose.
func allSaboteurs() []saboteur {
	return slices.Concat(saboteurs(), lastSaboteurs(), archiveSaboteurs(), findSaboteurs(), savedSaboteurs(), peerSaboteurs(), linearSaboteurs(),
		markSaboteurs(), watchSaboteurs(), clockSaboteurs(), fillSaboteurs(), boundSaboteurs(), listSaboteurs(), partSaboteurs(), feedSaboteurs(), feedLifeSaboteurs(), sessionSaboteurs(), webhookSaboteurs())
}

// harness returns one of stores that are broken by the saboteur.
func (s saboteur) harness() harness.Harness {
	return sharing(func(m *model.Model) store.Store {
		b := &broken{Model: m}
		s.sabotage(b)
		return b
	})
}

// tries is how often a saboteur meets a case: what shows only in a race may take
// more than one.
const tries = 20

// TestSaboteurs lets every saboteur meet the case that has to notice; with
// -saboteurs.matrix, all cases.
func TestSaboteurs(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-long runs it")
	}
	t.Parallel()
	cases := make(map[string]bench.Case)
	for _, c := range Cases() {
		cases[c.ID] = c
	}
	var matrix matrix
	t.Cleanup(func() { matrix.write(t) })
	for _, s := range allSaboteurs() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			c, ok := cases[s.caught]
			if !ok {
				t.Fatalf("there is no case %s", s.caught)
			}
			seed := confront(t, s, c)
			if two, ok := cases[s.caught+throughTwo]; ok {
				confront(t, s, two) // -short runs this one alone
			}
			if *matrixFlag != "" {
				matrix.Add(t, s, !t.Failed(), int(seed))
			}
		})
	}
}

// confront lets the saboteur meet a case until it notices, and returns in which try that was.
func confront(t *testing.T, s saboteur, c bench.Case) (seed uint64) {
	t.Helper()
	var ended report.Case
	for ended.Status != report.Failed && seed < tries {
		seed++
		ended = attempt(t, c, s.harness(), seed)
	}
	if ended.Status != report.Failed {
		t.Errorf("the case %s did not notice in %d tries: %s %s", c.ID, tries, ended.Status, ended.Reason)
	} else if want := c.ID + ": " + c.Rule; !strings.HasPrefix(ended.Failure, want) {
		t.Errorf("the complaint %q does not begin with %q", ended.Failure, want)
	}
	t.Log(ended.Failure)
	return seed
}

// matrix is what all cases say of all saboteurs.
type matrix struct {
	mu   sync.Mutex
	rows []string
	met  int
	seen int // saboteurs that the named case caught
}

// Add lets the saboteur meet all cases.
func (m *matrix) Add(t *testing.T, s saboteur, caught bool, tries int) {
	t.Helper()
	h := s.harness()
	h.Name = s.name
	r, err := Execute(t.Context(), h, Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	var others []string
	for _, c := range r.Cases {
		if c.Status == report.Failed && c.ID != s.caught {
			others = append(others, c.ID)
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.met++
	verdict := "survived"
	if caught {
		m.seen++
		verdict = fmt.Sprintf("try %d", tries)
	}
	const most = 4
	more := ""
	if len(others) > most {
		more = fmt.Sprintf(" and %d more", len(others)-most)
		others = others[:most]
	}
	m.rows = append(m.rows, fmt.Sprintf("| %s | %s | %s | %s%s |", s.name, s.caught, verdict, strings.Join(others, ", "), more))
}

// write writes the table.
func (m *matrix) write(t *testing.T) {
	t.Helper()
	if *matrixFlag == "" {
		return
	}
	slices.Sort(m.rows)
	text := fmt.Sprintf("# Saboteurs\n\nStores that are broken in one way each, and the cases that notice. %d of %d were caught by the case that has to.\n\n"+
		"| The store | has to be caught by | was in | Other cases that noticed in one run |\n|---|---|---|---|\n%s\n", m.seen, m.met, strings.Join(m.rows, "\n"))
	if err := os.WriteFile(*matrixFlag, []byte(text), 0o644); err != nil {
		t.Error(err)
	}
}
