package changes

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/cases/steps"
	"github.com/problemtracking/problems/conformance/internal/model"
	"github.com/problemtracking/problems/domain/store"
)

// Members are the cases about records with a value in every member.
func Members() []bench.Case {
	return []bench.Case{{
		ID:   "READ-001/all-members",
		Rule: "A Change with an effect of every type, and with a value in every member of every record, is read back with all of these values.",
		Run:  allMembers,
	}, {
		ID:   "RES-001/all-members",
		Rule: "An Archive with a value in every member of every record is read back with all of these values.",
		Run:  restoreAllMembers,
	}}
}

func allMembers(b *bench.Bench) {
	stored := &recorder{Store: b.Store}
	b.Store = stored
	_, change := steps.OneOfEach(b)
	if lacking := lackingMembers(change, emptyInChanges); len(lacking) > 0 {
		b.Failf("the suite leaves members of its Change without a value: %v", lacking)
	}
	b.Commit(change)
	plain := model.NewModel()
	for _, c := range stored.changes {
		_, err := plain.Commit(b.Ctx, c)
		b.Must("the Commit of the model", err)
	}
	var want bench.Image
	b.Must("the View of the model", plain.View(b.Ctx, func(r store.Reader) (err error) {
		want, err = bench.Read(b.Ctx, r, b.Seen)
		return err
	}))
	b.Equal("what is stored", want, b.Image())
}

func restoreAllMembers(b *bench.Bench) {
	h := b.Holdings(bench.UpTo(3)...)
	if lacking := lackingMembers(h, emptyInArchives); len(lacking) > 0 {
		b.Failf("the suite leaves members of its Archive without a value: %v", lacking)
	}
	b.Restore(h)
	b.Shows("what is stored", h)
}

// recorder is a store with a list of its committed Changes.
type recorder struct {
	store.Store
	changes []store.Change
}

func (r *recorder) Commit(ctx context.Context, change store.Change) (store.Receipt, error) {
	r.changes = append(r.changes, change)
	return r.Store.Commit(ctx, change)
}

// emptyInChanges are the empty members in the Change of oneOfEach, each with its reason.
var emptyInChanges = map[string]string{
	"Change.Expect": "stores check expectations and do not store them: each has cases of its own",
}

// emptyInArchives are the empty members in Holdings, each with its reason.
var emptyInArchives = map[string]string{
	"Holdings.Versions.Access.Number":   "an Archive has no version of its tokens",
	"Holdings.Versions.Access.Batch":    "an Archive has no version of its tokens",
	"Holdings.Versions.Catalogue.Batch": "Restore stamps the version with the batch of the Archive",
}

// lackingMembers returns the members of a record, and of the records within it, without a
// value anywhere. The members of all elements of a list count together if the elements
// have one type. Members with a reason are left out.
func lackingMembers(record any, empty map[string]string) (lacking []string) {
	valued := make(map[string]bool)
	v := reflect.ValueOf(record)
	noteMembers(valued, v.Type().Name(), v)
	for _, member := range slices.Sorted(maps.Keys(valued)) {
		if _, exempt := empty[member]; !valued[member] && !exempt {
			lacking = append(lacking, member)
		}
	}
	return lacking
}

func noteMembers(valued map[string]bool, path string, v reflect.Value) {
	_, moment := v.Interface().(time.Time)
	switch {
	case v.Kind() == reflect.Struct && !moment:
		for i := range v.NumField() {
			noteMembers(valued, fmt.Sprint(path, ".", v.Type().Field(i).Name), v.Field(i))
		}
	case v.Kind() == reflect.Interface && !v.IsNil():
		noteMembers(valued, v.Elem().Type().Name(), v.Elem())
	case v.Kind() == reflect.Slice && v.Len() > 0:
		valued[path] = true
		for i := range v.Len() {
			noteMembers(valued, path, v.Index(i))
		}
	default:
		valued[path] = valued[path] || !v.IsZero()
	}
}
