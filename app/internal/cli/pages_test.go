package cli_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

var (
	settingName = regexp.MustCompile("`(PROBLEMS_[A-Z_]+)`")
	firstCode   = regexp.MustCompile("`([^`]*)`")
)

// row is a setting in a table of a page.
type row struct{ name, preset string }

// rowsOf returns the settings in the tables of a page. A line can name several settings
// with one default.
func rowsOf(page string) (rows []row) {
	for line := range strings.Lines(page) {
		cells := strings.Split(line, "|")
		if len(cells) < 4 || !strings.HasPrefix(line, "| `PROBLEMS_") {
			continue
		}
		for _, found := range settingName.FindAllStringSubmatch(cells[1], -1) {
			rows = append(rows, row{found[1], cells[2]})
		}
	}
	return rows
}

// presets returns the defaults of all settings, as "problems config" prints them.
func presets(t *testing.T) map[string]string {
	t.Helper()
	values := make(map[string]string)
	for line := range strings.Lines(must(t, variables{"HOME": "/home/ann"}, "config")) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		values[name] = value
	}
	return values
}

// shows reports whether a cell shows a default: in backticks, or in words when the setting
// is empty or off.
func (r row) shows(value string) bool {
	code := firstCode.FindStringSubmatch(r.preset)
	if code == nil {
		return slices.Contains([]string{"", "false", "none", "0", "0s"}, value) || r.name == "PROBLEMS_STORE"
	}
	shown := strings.Replace(code[1], "~", "/home/ann", 1)
	if a, err := time.ParseDuration(shown); err == nil {
		b, err := time.ParseDuration(value)
		return err == nil && a == b
	}
	return shown == value
}

// TestPagesHaveAllSettings compares the settings with the page on operation, both ways, and
// the defaults with all pages.
func TestPagesHaveAllSettings(t *testing.T) {
	t.Parallel()
	values := presets(t)
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatal(pages, err)
	}
	for _, file := range append(pages, "../../../README.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rowsOf(string(text)) {
			value, ok := values[r.name]
			if !ok {
				t.Errorf("%s: there is no setting %s", file, r.name)
			} else if !r.shows(value) {
				t.Errorf("%s: the default of %s is %q, and the page has %q", file, r.name, value, r.preset)
			}
		}
	}
	text, err := os.ReadFile("../../docs/operating.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), "\n## Settings\n")
	section, _, _ := strings.Cut(after, "\n## ")
	times := make(map[string]int)
	for _, r := range rowsOf(section) {
		times[r.name]++
	}
	for name := range values {
		if times[name] != 1 {
			t.Errorf("the section on settings in operating.md has %s %d times, want once", name, times[name])
		}
	}
}

func TestRowsOfSettings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		line, value string
		want        bool
	}{
		{"| `PROBLEMS_A` | `2m` | x |", "2m0s", true},
		{"| `PROBLEMS_A` | `2m` | x |", "3m0s", false},
		{"| `PROBLEMS_A` | `10s`, the default | x |", "10s", true},
		{"| `PROBLEMS_A` | off | x |", "0", true},
		{"| `PROBLEMS_A` | off | x |", "1", false},
		{"| `PROBLEMS_A`, `PROBLEMS_B` | `1MiB` | x |", "1MiB", true},
		{"| `PROBLEMS_A` | `1MiB` | x |", "", false},
	} {
		rows := rowsOf(c.line)
		if want := strings.Count(c.line, "PROBLEMS_"); len(rows) != want {
			t.Fatalf("%s has %d settings, want %d", c.line, len(rows), want)
		}
		for _, r := range rows {
			if r.shows(c.value) != c.want {
				t.Errorf("%s shows %q: %t", c.line, c.value, !c.want)
			}
		}
	}
}
