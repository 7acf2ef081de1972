package column

import (
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"state":                       "state",
		"due , state,\tcreationDate ": "due,state,creationDate",
		"":                            "unknown column as name 1: send some of state, priority,",
		"state,":                      "unknown column as name 2",
		"state,colour":                "unknown column as name 2",
		"state,due,state":             "has the column state twice",
	} {
		got, err := Parse(text)
		if err != nil && !strings.Contains(err.Error(), want) || err == nil && (string(got) != want || got.Check() != nil || !slices.Equal(got.Names(), strings.Split(want, ","))) {
			t.Errorf("%q is %q, %v, want %s", text, got, err, want)
		}
	}
	if List("").Check() != nil || len(List("").Names()) > 0 || List("state, due").Check() == nil || List("colour").Check() == nil {
		t.Error("Check refuses the usual columns, or takes what Parse does not return")
	}
}
