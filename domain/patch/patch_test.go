package patch

import "testing"

func TestField(t *testing.T) {
	t.Parallel()
	var absent Field[string]
	for _, c := range []struct {
		name       string
		got        Field[string]
		sent, null bool
		value      string
	}{
		{"absent", absent, false, false, ""},
		{"null", Null[string](), true, true, ""},
		{"a value", Set("x"), true, false, "x"},
		{"the zero value", Set(""), true, false, ""},
	} {
		if c.got != (Field[string]{Sent: c.sent, Null: c.null, Value: c.value}) {
			t.Errorf("%s: %+v", c.name, c.got)
		}
	}
}
