package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// tally counts outcomes of requests.
type tally struct {
	mu     sync.Mutex
	counts map[string]int
	wrong  []string // the first few wrong answers
}

// mostWrong is the greatest number of wrong answers to report.
const mostWrong = 3

func (t *tally) add(outcome string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.counts == nil {
		t.counts = map[string]int{}
	}
	t.counts[outcome]++
}

func (t *tally) addWrong(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.wrong) < mostWrong {
		t.wrong = append(t.wrong, fmt.Sprintf(format, args...))
	}
}

// all returns the counts, and the wrong answers.
func (t *tally) all() (map[string]int, []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.counts), slices.Clone(t.wrong)
}

// list writes counts for a table, the most first.
func list(counts map[string]int) string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(a, b))
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%s: %d", name, counts[name])
	}
	return strings.Join(names, ", ")
}
