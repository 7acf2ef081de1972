package main

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/semver"
)

// TestUnitsAreHardened asks systemd how much of the machine the services could reach.
func TestUnitsAreHardened(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"problems.service", "problems-backup.service"} {
		output := must(t, "systemd-analyze", "security", "--offline=true", newRelease(t, "v0.0.0").deploy("systemd", unit))
		level := regexp.MustCompile(`Overall exposure level for ` + regexp.QuoteMeta(unit) + `: ([0-9.]+)`).FindStringSubmatch(output)
		if level == nil {
			t.Fatalf("systemd-analyze says no level:\n%s", output)
		}
		if exposure, err := strconv.ParseFloat(level[1], 64); err != nil || exposure > 2 {
			t.Errorf("the level of exposure of %s is %s; want at most 2.0:\n%s", unit, level[1], output)
		}
	}
}

// TestBackupsArePruned runs what the timer does before each backup. So a full disk gets
// room for the next one. The last copies stay, however long no backup has succeeded.
func TestBackupsArePruned(t *testing.T) {
	t.Parallel()
	unit, err := os.ReadFile(newRelease(t, "v0.0.0").deploy("systemd", "problems-backup.service"))
	if err != nil {
		t.Fatal(err)
	}
	var script strings.Builder
	for _, line := range regexp.MustCompile(`(?m)^ExecStartPre=-?/bin/sh -c '(.*)'$`).FindAllStringSubmatch(string(unit), -1) {
		script.WriteString(strings.NewReplacer("$$", "$", "%%", "%", `\\`, `\`).Replace(line[1]) + "\n") // as systemd does
	}
	for name, c := range map[string]struct{ old, young, left int }{
		"none":          {0, 0, 0},
		"some":          {0, 5, 5},
		"some old ones": {5, 0, 5},
		"old and young": {20, 20, 20},
		"a few young":   {20, 3, 12},
		"old ones":      {20, 0, 12},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			now := time.Now()
			var all []string
			for i := range c.old + c.young {
				made := now.Add(time.Duration(i-c.old-c.young) * time.Minute)
				if i < c.old {
					made = made.AddDate(0, 0, -9)
				}
				path := filepath.Join(dir, made.UTC().Format("2006-01-02T15:04:05.000Z")+".db")
				if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Chtimes(path, made, made)); err != nil {
					t.Fatal(err)
				}
				all = append(all, path)
			}
			if output, err := command(dir, nil, "sh", "-ec", script.String()); err != nil || output != "" {
				t.Errorf("%v: %s", err, output)
			}
			left, err := filepath.Glob(filepath.Join(dir, "*"))
			if want := all[len(all)-c.left:]; err != nil || !slices.Equal(left, want) {
				t.Errorf("%d copies are left, %v, want the last %d", len(left), err, c.left)
			}
		})
	}
}

func TestVersionOfPackages(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]string{
		"v0.2.0":                  "0.2.0",
		"v1.0.0-rc.1":             "1.0.0-rc.1",
		"v0.2.0-dirty":            "0.2.0+dirty",
		"v0.2.0-5-g1f6d89b":       "0.2.0+5.g1f6d89b",
		"v0.2.0-5-g1f6d89b-dirty": "0.2.0+5.g1f6d89b.dirty",
		"v1.0.0-rc.1-5-g1f6d89b":  "1.0.0-rc.1+5.g1f6d89b",
		"1f6d89b":                 "0.0.0+1f6d89b",
		"0123456-dirty":           "0.0.0+0123456.dirty",
	} {
		if got := (&release{version: version}).number(); got != want || !semver.IsValid("v"+got) {
			t.Errorf("%s is packed as %s; want %s", version, got, want)
		}
	}
}

// TestVersionsAscend lets Debian sort packages of snapshots between those of tags.
func TestVersionsAscend(t *testing.T) {
	t.Parallel()
	before := "0"
	for _, version := range []string{"1f6d89b", "v0.1.0-rc.1", "v0.1.0-rc.1-7-g0000001", "v0.1.0", "v0.1.0-5-g1f6d89b", "v0.1.0-12-g0a6d89b", "v0.2.0"} {
		r := newRelease(t, version)
		binary := filepath.Join(t.TempDir(), "binary")
		if err := errors.Join(os.MkdirAll(r.to, 0o755), os.WriteFile(binary, []byte(version), 0o755)); err != nil {
			t.Fatal(err)
		}
		if err := r.linux(binary, "amd64"); err != nil {
			t.Fatal(err)
		}
		packed := must(t, "dpkg-deb", "--field", r.name("-linux-amd64.deb"), "Version")
		if _, err := command(".", nil, "dpkg", "--compare-versions", before, "lt", packed); err != nil {
			t.Errorf("%s is packed as %s, and Debian takes this for older than %s: %v", version, packed, before, err)
		}
		before = packed
	}
}

func TestTimeOfSource(t *testing.T) {
	t.Parallel()
	got, err := sourceTime(t.TempDir(), func(string) string { return "1700000000" })
	if err != nil || got.Unix() != 1_700_000_000 {
		t.Errorf("with SOURCE_DATE_EPOCH=1700000000 the time is %v, %v", got, err)
	}
	if _, err := sourceTime(t.TempDir(), func(string) string { return "" }); err == nil {
		t.Error("without a clone and SOURCE_DATE_EPOCH there is a time")
	}
	if _, err := sourceTime(t.TempDir(), func(string) string { return "today" }); err == nil {
		t.Error("today is taken for a number of seconds")
	}
}
