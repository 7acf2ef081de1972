//go:build packages

package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestRPM opens the package for RPM, and installs, upgrades and erases it on a machine of
// Debian. So its scripts run with a real systemd, and its dependencies are left out.
func TestRPM(t *testing.T) {
	if _, err := exec.LookPath("rpm"); err != nil {
		must(t, "../postgres/install", "rpm")
	}
	r := newRelease(t, "v0.2.0")
	r.artefacts(t)
	architecture := r.architectures[0]
	packed := func() string { return r.name("-linux-" + architecture + ".rpm") }
	files := strings.Fields(must(t, "rpm", "-qpl", packed()))
	for _, want := range []string{"/usr/bin/problems", "/etc/problems/problems.env", "/usr/lib/systemd/system/problems.service", "/usr/lib/systemd/system/problems.socket", "/usr/lib/systemd/system/problems-backup.timer", "/usr/lib/sysusers.d/problems.conf"} {
		if !slices.Contains(files, want) {
			t.Errorf("the package has %q, without %s", files, want)
		}
	}
	scripts := must(t, "rpm", "-qp", "--scripts", packed())
	for _, want := range []string{"postinstall scriptlet", "preuninstall scriptlet", "postuninstall scriptlet", "systemd-sysusers problems.conf"} {
		if !strings.Contains(scripts, want) {
			t.Errorf("the scripts lack %s:\n%s", want, scripts)
		}
	}
	for query, want := range map[string]string{
		"--configfiles": "/etc/problems/problems.env",
		"--requires":    "systemd",
	} {
		if got := strings.Split(must(t, "rpm", "-qp", query, packed()), "\n"); !slices.Contains(got, want) {
			t.Errorf("%s says %q; want %s", query, got, want)
		}
	}
	if got := must(t, "rpm", "-qp", "--queryformat", "%{NAME} %{VERSION} %{LICENSE}", packed()); got != "problems 0.2.0 Apache-2.0" {
		t.Errorf("the package is %q", got)
	}

	m := boot(t)
	m.put(packed(), "/tmp/older.rpm")
	// The same program, under a version of later work.
	binary := r.name("-linux-" + architecture)
	r.version = "v0.2.0-5-g1f6d89b"
	if err := r.linux(binary, architecture); err != nil {
		t.Fatal(err)
	}
	m.put(packed(), "/tmp/newer.rpm")
	const rpm = "rpm --force-debian --nodeps "
	m.run(rpm + "--install /tmp/older.rpm")
	m.run("problems health --timeout 30s")
	if got := m.run("systemctl is-enabled problems.service problems.socket | sort -u; stat --format '%a %U %G' /etc/problems/problems.env"); got != "enabled\n640 root problems" {
		t.Errorf("after the installation: %q", got)
	}
	m.run("echo PROBLEMS_MAX_RATE=12345 >> /etc/problems/problems.env")
	before := m.run("systemctl show --value --property MainPID problems")
	m.run(rpm + "--upgrade /tmp/newer.rpm")
	m.run("problems health --timeout 30s")
	if after := m.run("systemctl show --value --property MainPID problems"); after == before || after == "0" {
		t.Errorf("the upgrade has not restarted process %s: %s", before, after)
	}
	if got := m.run("rpm -q problems; grep --count 12345 /etc/problems/problems.env"); !strings.HasPrefix(got, "problems-0.2.0+5.g1f6d89b") || !strings.HasSuffix(got, "\n1") {
		t.Errorf("after the upgrade: %q", got)
	}
	if _, err := m.try(rpm + "--upgrade /tmp/older.rpm"); err == nil {
		t.Error("an older package replaces a newer one")
	}
	m.run(rpm + "--erase problems")
	m.run("test ! -e /usr/bin/problems && test ! -e /usr/lib/systemd/system/problems.service && test -f /var/lib/problems/problems.db && ! systemctl is-active problems.socket")
}
