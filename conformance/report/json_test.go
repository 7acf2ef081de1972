package report

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
	"time"
)

// asRead returns a copy of the report as it is after the journey through JSON:
// in UTC, and with all texts in UTF-8.
func asRead(r *Report) *Report {
	got := reflect.New(reflect.TypeFor[Report]()).Elem()
	copyValid(got, reflect.ValueOf(*r))
	read := got.Interface().(Report)
	read.Started = r.Started.UTC().Truncate(time.Millisecond)
	return &read
}

func copyValid(to, from reflect.Value) {
	switch {
	case from.Type() == reflect.TypeFor[time.Time]():
	case from.Kind() == reflect.String:
		to.SetString(string([]rune(from.String())))
	case from.Kind() == reflect.Struct:
		for i := range from.NumField() {
			copyValid(to.Field(i), from.Field(i))
		}
	case from.Kind() == reflect.Slice && !from.IsNil():
		to.Set(reflect.MakeSlice(from.Type(), from.Len(), from.Len()))
		for i := range from.Len() {
			copyValid(to.Index(i), from.Index(i))
		}
	case from.Kind() == reflect.Pointer && !from.IsNil():
		to.Set(reflect.New(from.Type().Elem()))
		copyValid(to.Elem(), from.Elem())
	default:
		to.Set(from)
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *Report) {
		text, err := r.JSON()
		if err != nil {
			t.Fatal(err)
		}
		got, err := Read(bytes.NewReader(text))
		if err != nil {
			t.Fatalf("what was written cannot be read: %v\n%s", err, text)
		}
		if want := asRead(r); !reflect.DeepEqual(got, want) {
			t.Errorf("read was\n%+v\nwhere this was written\n%+v", got, want)
		}
		if again, want := written(t, got), written(t, asRead(r)); again != want {
			t.Errorf("what was read is written as\n%s\nwhere this was expected\n%s", again, want)
		}
	})
}

func TestJSONIsForPeople(t *testing.T) {
	t.Parallel()
	r := example("<&>")
	text, err := r.JSON()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"{\n  \"schema\": \"problems-conformance-report/1\",\n  \"suite\": {\n    \"name\": \"store\",\n",
		`"started": "2026-03-01T09:30:00.007Z"`,
		`"duration": 3.210`,
		`"rule": "the rule of COM-001 <&>"`,
		"\n}\n",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the JSON does not have\n%s\nin\n%s", want, text)
		}
	}
}

func TestJSONWithoutCases(t *testing.T) {
	t.Parallel()
	r := new(Report)
	if _, err := r.JSON(); err == nil || !strings.Contains(err.Error(), "concluded") {
		t.Errorf("a report that was not concluded is written with the error %v where one that says so was expected", err)
	}
	r.Conclude()
	text, err := r.JSON()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"profiles": []`, `"cases": []`, `"result": "not-conformant"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the JSON does not have %s in\n%s", want, text)
		}
	}
	if _, err := Read(bytes.NewReader(text)); err != nil {
		t.Errorf("it cannot be read: %v", err)
	}
}

func TestReadPassesOver(t *testing.T) {
	t.Parallel()
	text := written(t, conformant())
	text = strings.Replace(text, `"seed": "1844`, `"added": {"later": [1]}, "seed": "1844`, 1)
	text = strings.Replace(text, `"id": "COM`, `"colour": null, "id": "COM`, 1)
	r, err := Read(strings.NewReader(text))
	if err != nil {
		t.Fatalf("members that nobody knows are in the way: %v", err)
	}
	if want := asRead(conformant()); !reflect.DeepEqual(r, want) {
		t.Errorf("read was\n%+v\nwhere this was expected\n%+v", r, want)
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	whole := written(t, example(plain))
	replaced := func(old, new string) string {
		if !strings.Contains(whole, old) {
			t.Fatalf("the example does not have %s", old)
		}
		return strings.Replace(whole, old, new, 1)
	}
	for name, test := range map[string]struct{ text, want string }{
		"nothing":             {"", "this is no conformance report: "},
		"half a report":       {whole[:len(whole)/2], "this is no conformance report: "},
		"two reports":         {whole + whole, "this is no conformance report: "},
		"a list":              {"[]", "this is no conformance report: "},
		"another document":    {`{"tests": 3}`, `it names no schema where "problems-conformance-report/1" was expected`},
		"another schema":      {replaced("report/1", "report/2"), `has the schema "problems-conformance-report/2"; this version of the suite reads "problems-conformance-report/1"`},
		"a duration in words": {replaced("3.210", `"3 s"`), "a number of seconds"},
		"another status":      {replaced(`"failed",`, `"flaky",`), `case "COM-002 plain": its status is "flaky" where "passed", "failed", "broken" or "not-run" was expected`},
		"another level":       {replaced(`"level": "core"`, `"level": "Core"`), `case "COM-001 plain": its level is "Core" where "core" or "extended" was expected`},
		"another result":      {replaced(`"not-conformant"`, `"great"`), `its result is "great" where`},
		"a better result":     {replaced(`"not-conformant"`, `"conformant"`), `it says "conformant", and its cases say "not-conformant": 1 of 3 cases failed`},
		"better counts":       {replaced(`"passed": 1`, `"passed": 9`), "its profiles do not count what its cases are"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if r, err := Read(strings.NewReader(test.text)); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Read gives %+v and the error %v where one that says %q was expected", r, err, test.want)
			}
		})
	}
}

// A command may find the run worse than its cases: when it was interrupted, say.
func TestReadTakesWorseResults(t *testing.T) {
	t.Parallel()
	r := conformant()
	r.Result, r.Reason = Incomplete, "the run was interrupted"
	got, err := Read(strings.NewReader(written(t, r)))
	if err != nil || got.Result != Incomplete || got.Reason != r.Reason {
		t.Errorf("read was %+v with the error %v where %q, %q was expected", got, err, r.Result, r.Reason)
	}
}

func written(t *testing.T, r *Report) string {
	t.Helper()
	text, err := r.JSON()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
