package wire

import "testing"

// D56: a text is as it is, null is nothing, and any other value is its JSON.
func TestCell(t *testing.T) {
	t.Parallel()
	record := []byte(`{"identifier":9007199254740990,"title":"a\n\"b\" é","state":{"name":"Open"},"component":null,"read":true,"keywords":[{"name":"k","value":null}]}`)
	for column, want := range map[string]string{
		"identifier": "9007199254740990", "title": "a\n\"b\" é", "state.name": "Open", "state": `{"name":"Open"}`,
		"component": "", "component.parent.name": "", "read": "true", "keywords": `[{"name":"k","value":null}]`, "keywords.name": `["k"]`, "keywords.value": `[null]`,
	} {
		table := NewTable(column)
		if table.fill(record); table.cells[0] != want {
			t.Errorf("%s is %q, want %q", column, table.cells[0], want)
		}
	}
}
