package archive_test

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/archive"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/transfer"
)

// The records of the round trip have, taken together, a value in every member. So a member
// that the archive forgets differs after the round trip.
func TestSyntheticRecordsHaveAllMembers(t *testing.T) {
	t.Parallel()
	written := map[string]bool{} // by member, whether a record had a value there
	for record, err := range transfer.Records(t.Context(), newSynthetic(1, 50)) {
		if err != nil {
			t.Fatal(err)
		}
		v := reflect.ValueOf(record)
		noteMembers(written, v.Type().Name(), v)
	}
	for member, valued := range written {
		// The deliveries are not part of an archive.
		if !valued && member != "Webhook.Webhook.Progress.Deliveries" {
			t.Errorf("no record of the round trip has a value in %s", member)
		}
	}
	if len(written) < 60 {
		t.Errorf("only %d members: %v", len(written), written)
	}
}

// noteMembers notes which members of a record have a value, those of embedded structures
// included.
func noteMembers(noted map[string]bool, path string, v reflect.Value) {
	switch v.Interface().(type) {
	case time.Time, problem.NullText:
		noted[path] = noted[path] || !v.IsZero()
		return
	}
	if v.Kind() != reflect.Struct {
		noted[path] = noted[path] || !v.IsZero()
		return
	}
	for i := range v.NumField() {
		noteMembers(noted, fmt.Sprint(path, ".", v.Type().Field(i).Name), v.Field(i))
	}
}

// The page about archives names this version, and has every field of a problem in each of
// its rows about fields, a reference with the kind of its objects.
func TestPageNamesAllFields(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	has := func(row, what string) {
		t.Helper()
		_, rest, found := strings.Cut(string(page), "\n| `"+row+"` |")
		line, _, _ := strings.Cut(rest, "\n")
		if !found || !strings.Contains(line, what) {
			t.Errorf("adapters/README.md: the row %s does not have %s", row, what)
		}
	}
	for _, f := range problem.AllFields() {
		name := "`" + f.Name + "`"
		if f.To != "" {
			of := fmt.Sprintf("%s %s id", name, f.To)
			if !f.Required {
				of += "?"
			}
			has("problem", of+",")
		}
		has("problem", name)
		if f.Client {
			has("ProblemCreated", name)
		} else if !f.Fixed {
			has("savepoint", name)
		}
	}
	client := problem.ClientFields()
	has("savepoint", fmt.Sprintf("from `%s` to `%s`", client[0].Name, client[len(client)-1].Name))
	has("header", fmt.Sprintf("`version` %d |", archive.Version))
}
