package conformance

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// traced returns the store so that calls to it are logged, as the steps that led
// to what a case complains about.
func (b *bench) traced(name string, s store.Store) store.Store {
	return &trace{Store: s, name: name, logf: b.Logf}
}

// trace is a Store that logs how its calls ended.
type trace struct {
	store.Store
	name string
	logf func(format string, args ...any)
}

// log logs a call; result is what it returned if it did not fail.
func (t *trace) log(call string, result any, err error) {
	if err != nil {
		result = err
	}
	t.logf("%s%s → %v", t.name, call, result)
}

func (t *trace) View(ctx context.Context, fn func(store.Reader) error) error {
	err := t.Store.View(ctx, fn)
	if err != nil {
		t.log("View", nil, err)
	}
	return err
}

func (t *trace) Reserve(ctx context.Context) (problem.ID, error) {
	id, err := t.Store.Reserve(ctx)
	t.log("Reserve", id, err)
	return id, err
}

func (t *trace) Commit(ctx context.Context, change store.Change) (store.Receipt, error) {
	call := "Commit of " + describe(change)
	receipt, err := t.Store.Commit(ctx, change)
	t.log(call, fmt.Sprint("position ", receipt.Position), err)
	return receipt, err
}

func (t *trace) Outcome(ctx context.Context, batch ident.ID, at time.Time) (store.Receipt, bool, error) {
	receipt, stored, err := t.Store.Outcome(ctx, batch, at)
	t.log("Outcome of batch "+short(batch), fmt.Sprintf("stored: %v, position %d", stored, receipt.Position), err)
	return receipt, stored, err
}

func (t *trace) Versions(ctx context.Context) (store.Versions, error) {
	v, err := t.Store.Versions(ctx)
	t.log("Versions", v, err)
	return v, err
}

func (t *trace) Restore(ctx context.Context, archive store.Archive) error {
	err := t.Store.Restore(ctx, archive)
	t.log("Restore", "done", err)
	return err
}

func (t *trace) Close() error {
	err := t.Store.Close()
	t.log("Close", "closed", err)
	return err
}

// describe says what a Change does, in one line.
func describe(change store.Change) string {
	var parts []string
	for _, e := range change.Expect {
		parts = append(parts, "expecting "+part(e))
	}
	for _, e := range change.Effects {
		parts = append(parts, part(e))
	}
	if n := len(change.Log); n > 0 {
		parts = append(parts, fmt.Sprintf("%d log entries", n))
	}
	const most = 6
	if more := len(parts) - most; more > 0 {
		parts = append(parts[:most], fmt.Sprintf("and %d more", more))
	}
	return "batch " + short(change.Batch) + ": " + strings.Join(parts, ", ")
}

// part writes an effect or an expectation, cut off where it gets long.
func part(e any) string {
	const most = 70
	text := strings.TrimPrefix(fmt.Sprintf("%T", e), "store.") + strings.ToValidUTF8(fmt.Sprintf("%+v", e), "�")
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// short returns the end of an identifier: where those of one case differ.
func short(id ident.ID) string {
	text := id.String()
	return "…" + text[len(text)-6:]
}
