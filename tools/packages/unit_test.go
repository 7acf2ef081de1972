package main

import (
	"regexp"
	"strconv"
	"testing"
)

// TestUnitIsHardened asks systemd how much of the machine the service could reach.
func TestUnitIsHardened(t *testing.T) {
	t.Parallel()
	r := newRelease(t, "v0.0.0")
	output := must(t, "systemd-analyze", "security", "--offline=true", r.deploy("systemd", "problems.service"))
	level := regexp.MustCompile(`Overall exposure level for problems\.service: ([0-9.]+)`).FindStringSubmatch(output)
	if level == nil {
		t.Fatalf("systemd-analyze says no level:\n%s", output)
	}
	if exposure, err := strconv.ParseFloat(level[1], 64); err != nil || exposure > 2 {
		t.Errorf("the level of exposure is %s; want at most 2.0:\n%s", level[1], output)
	}
}

func TestVersionOfPackages(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]string{
		"v0.2.0":            "0.2.0",
		"v1.0.0-rc.1":       "1.0.0-rc.1",
		"v0.2.0-5-g1f6d89b": "0.2.0-5-g1f6d89b",
		"1f6d89b":           "0.0.0-1f6d89b",
		"1f6d89b-dirty":     "0.0.0-1f6d89b.dirty",
	} {
		if got := (&release{version: version}).number(); got != want {
			t.Errorf("%s is packed as %s; want %s", version, got, want)
		}
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
