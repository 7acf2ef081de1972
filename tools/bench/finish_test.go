package main

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/problemtracking/problems/tools/bench/internal/load"
)

// measured returns the output of the benchmark after it has driven a mix on a
// server. The server answers one request with an error, counted from 1.
func measured(t *testing.T, failing int64) (string, error) {
	t.Helper()
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) == failing {
			http.Error(w, "on purpose", http.StatusInternalServerError)
			return
		}
		fmt.Fprint(w, `{"identifier":1}`)
	}))
	t.Cleanup(server.Close)
	mixes, err := load.ChooseMixes("load")
	if err != nil {
		t.Fatal(err)
	}
	scene := load.NewScene(100, slices.Repeat([]string{"a token"}, 100))
	scene.Tens = []int64{101, 102}
	b := &bench{
		options:  options{stores: []string{inMemory}, mixes: mixes, connections: []int{2}, rounds: 1, duration: 20 * time.Millisecond},
		report:   new(report),
		entrants: []*entrant{{Contender: load.Contender{Name: "a fake", URL: server.URL}, store: inMemory, scene: scene}},
	}
	var out strings.Builder
	err = b.finish(b.measure(t.Context()), &out)
	return out.String(), err
}

// One request of many that is answered wrong fails the run, which is printed all the
// same.
func TestOneFailedRequestFailsTheRun(t *testing.T) {
	t.Parallel()
	out, err := measured(t, 3)
	if err == nil || !strings.Contains(err.Error(), "1 requests failed") || !strings.Contains(err.Error(), "500 on purpose") {
		t.Errorf("the error is %v", err)
	}
	if !strings.Contains(out, "| load one problem") {
		t.Errorf("printed is\n%s", out)
	}
}

// Targets that are missed, by however much, fail no run.
func TestTimesFailNoRun(t *testing.T) {
	t.Parallel()
	of := func(kind string, requests int) cell {
		return cell{Mix: "load", Connections: 2, Kind: kind, Rounds: []load.Outcome{lasting(requests, 1)}}
	}
	b := &bench{
		options: options{stores: []string{inMemory}, connections: []int{2}},
		report:  &report{Cells: []cell{of(inMemory, 1), of(sameBytes, 1000)}},
	}
	var out strings.Builder
	if err := b.finish(nil, &out); err != nil {
		t.Error(err)
	}
	if !strings.Contains(out.String(), "**not met**") {
		t.Errorf("no target is missed in\n%s", out.String())
	}
}

// A run that was ended fails, with what there is of it.
func TestUnfinishedRunFails(t *testing.T) {
	t.Parallel()
	cause := errors.New("the server is gone")
	for _, cells := range [][]cell{nil, {{Title: "load", Rounds: []load.Outcome{lasting(7, 1)}, P50: ptr(1.)}}} {
		b := &bench{options: options{connections: []int{2}}, report: &report{Cells: cells}}
		var out strings.Builder
		if err := b.finish(cause, &out); !errors.Is(err, cause) {
			t.Errorf("with %d cells the error is %v", len(cells), err)
		}
		if printed := strings.Contains(out.String(), "load"); printed != (len(cells) > 0) {
			t.Errorf("with %d cells, printed is %q", len(cells), out.String())
		}
	}
}

func TestCount(t *testing.T) {
	t.Parallel()
	r := &report{Cells: []cell{
		{Rounds: []load.Outcome{lasting(7, 1), lasting(8, 1)}, P50: ptr(1.), Errors: 2},
		{Rounds: []load.Outcome{lasting(100, 1)}}, // not over HTTP
		{Rounds: []load.Outcome{lasting(0, 1)}, Errors: 3},
	}}
	if answered, wrong := r.count(); answered != 15 || wrong != 5 {
		t.Errorf("%d were answered and %d were not; want 15 and 5", answered, wrong)
	}
}
