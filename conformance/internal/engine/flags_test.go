package engine

import (
	"path/filepath"
	"testing"
)

func TestPattern(t *testing.T) {
	t.Parallel()
	for test, want := range map[string]string{
		"TestConformance":             "'^TestConformance$'",
		"TestConformance/v1.0+lz4":    `'^TestConformance$/^v1\.0\+lz4$'`,
		"TestConformance/it's_(this)": `'^TestConformance$/^it'\''s_\(this\)$'`,
	} {
		if got := Pattern(test); got != want {
			t.Errorf("the pattern of %s is %s; want %s", test, got, want)
		}
	}
}

// The folder of a report is in the directory that was asked for, whatever the name.
func TestFolders(t *testing.T) {
	t.Parallel()
	w := Wish{report: "reports"}
	seen := make(map[string]string)
	for _, name := range []string{"sqlite", "..", "../up", "a/x", "b/x", "sub dir", ".hidden", "ä"} {
		got := w.folderOf(name)
		if filepath.Dir(got) != "reports" || filepath.Base(got)[0] == '.' || seen[got] != "" {
			t.Errorf("the report of %q goes to %q, as that of %q", name, got, seen[got])
		}
		seen[got] = name
	}
}
