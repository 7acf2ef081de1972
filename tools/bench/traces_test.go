package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/problemtracking/problems/tools/bench/internal/load"
)

func TestTracingIsComparedWithinARun(t *testing.T) {
	t.Parallel()
	o, err := parsed("-traces", "0.01,1", "-stores", "sqlite", "-mixes", "load", "-connections", "8")
	if err != nil {
		t.Fatal(err)
	}
	cellOf := func(kind string, requests int) cell {
		return cell{Mix: "load", Connections: 8, Kind: kind, Rounds: []load.Outcome{lasting(requests, 1)}}
	}
	r := &report{Cells: []cell{cellOf(onSQLite, 1000), cellOf(tracedKind(onSQLite, "0.01"), 990), cellOf(tracedKind(onSQLite, "1"), 700)}}
	r.tracing(o)
	if len(r.Targets) != 2 || *r.Targets[0].Got != 0.99 || !r.Targets[0].Met || *r.Targets[1].Got != 0.7 || r.Targets[1].Met {
		t.Errorf("the comparisons are %+v; want 0.99, met, and 0.7, not met", r.Targets)
	}
}

func TestCollectorDemandsTraces(t *testing.T) {
	t.Parallel()
	b := &bench{}
	settings, err := b.traceSettings("1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.tearDown(t.Context()); err != nil {
			t.Error(err)
		}
	})
	if err := b.spans.arrived(); err == nil {
		t.Error("a run without a trace passes")
	}
	url, found := strings.CutPrefix(settings[0], "PROBLEMS_TRACES_URL=")
	if !found {
		t.Fatalf("the settings are %q", settings)
	}
	response, err := http.Post(url+"/v1/traces", "application/x-protobuf", strings.NewReader("span"))
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if err := b.spans.arrived(); err != nil || response.StatusCode != http.StatusOK {
		t.Errorf("after a trace: %d, %v", response.StatusCode, err)
	}
	if err := (*collector)(nil).arrived(); err != nil {
		t.Errorf("without traces: %v", err)
	}
}
