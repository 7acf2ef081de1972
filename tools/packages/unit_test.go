package main

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

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

// TestPackagesHaveDocs holds that operators without a clone have the pages, the rules of
// Prometheus and the dashboard, and that no link between them is broken.
func TestPackagesHaveDocs(t *testing.T) {
	t.Parallel()
	const docs = "/usr/share/doc/problems/"
	packed := map[string]string{}
	for _, c := range newRelease(t, "v0.2.0").info("binary", "amd64").Contents {
		packed[c.Destination] = c.Source
	}
	for _, want := range []string{"README.md", "app/docs/operating.md", "app/docs/failover.md", "app/deploy/monitoring/rules.yaml", "app/deploy/monitoring/dashboard.json", "app/deploy/failover/patroni.yml"} {
		if packed[docs+want] == "" {
			t.Errorf("the package lacks %s", docs+want)
		}
	}
	links := 0
	for destination, source := range packed {
		if !strings.HasPrefix(destination, docs+"app/docs/") || !strings.HasSuffix(destination, ".md") {
			continue
		}
		for _, link := range regexp.MustCompile(`\]\((\.?[\w./-]*app/docs/[\w-]+\.md|[\w-]+\.md|\.\./deploy/(?:monitoring|failover)/[\w.]+)`).FindAllStringSubmatch(string(read(t, source)), -1) {
			if links++; packed[filepath.Join(filepath.Dir(destination), link[1])] == "" {
				t.Errorf("%s leads to %s, which the package lacks", destination, link[1])
			}
		}
	}
	if links < 50 {
		t.Errorf("only %d links were found", links)
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
