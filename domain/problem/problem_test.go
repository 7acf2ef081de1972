package problem

import "testing"

func TestParseID(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]ID{
		"1": 1, "42": 42, "9007199254740990": MaxID, "9223372036854775807": 1<<63 - 1,
		"": 0, "0": 0, "-1": 0, "+1": 0, "01": 0, " 1": 0, "1 ": 0, "1_000": 0, "1.0": 0, "1e3": 0, "0x1": 0, "a": 0, "١": 0, "9223372036854775808": 0,
	} {
		id, ok := ParseID(text)
		if ok != (want != 0) || ok && id != want {
			t.Errorf("%q is %d, %t", text, id, ok)
		}
	}
}
