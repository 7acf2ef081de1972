//go:build packages

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// machine is a copy of this Debian machine in memory, with a systemd of its own.
type machine struct {
	t    *testing.T
	init string // process of its systemd
}

// boot starts a machine, until the test ends.
func boot(t *testing.T) *machine {
	t.Helper()
	if os.Getuid() != 0 {
		t.Fatal("this test starts a systemd in namespaces of its own: run it as root, on Debian with systemd")
	}
	cmd := exec.Command("unshare", "--mount", "--pid", "--cgroup", "--ipc", "--uts", "--net", "--fork", "--kill-child", "bash", "testdata/boot", t.TempDir())
	var output strings.Builder
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGKILL)
		_ = cmd.Wait()
	})
	m := &machine{t: t}
	m.await("systemd answers", func() bool {
		child, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(cmd.Process.Pid), "task", strconv.Itoa(cmd.Process.Pid), "children"))
		if err != nil {
			t.Fatalf("the machine has ended: %s", output.String())
		}
		m.init = strings.TrimSpace(string(child))
		if m.init == "" {
			return false
		}
		state, err := m.try("systemctl is-system-running")
		return err == nil || strings.Contains(state, "degraded") || strings.Contains(state, "running")
	})
	return m
}

// try runs a command of a shell in the machine.
func (m *machine) try(script string) (string, error) {
	cmd := exec.Command("nsenter", "--target", m.init, "--mount", "--pid", "--net", "--ipc", "--uts", "--root", "--wd", "sh", "-c", script)
	output, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(output)), err
}

// run is try for commands that succeed.
func (m *machine) run(script string) string {
	m.t.Helper()
	output, err := m.try(script)
	if err != nil {
		status, _ := m.try("systemctl status problems.service problems.socket --no-pager; journalctl -u problems --no-pager | tail -n 30")
		m.t.Fatalf("%s: %v\n%s\n%s", script, err, output, status)
	}
	return output
}

// put copies a file into the machine, to the path.
func (m *machine) put(file, path string) {
	m.t.Helper()
	content, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(filepath.Join("/proc", m.init, "root", path), content, 0o644)
	}
	if err != nil {
		m.t.Fatal(err)
	}
}

// await waits for a minute at most.
func (m *machine) await(what string, holds func() bool) {
	m.t.Helper()
	for end := time.Now().Add(time.Minute); !holds(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			m.t.Fatalf("after a minute: not yet that %s", what)
		}
	}
}

// TestDebianPackage installs a package on a machine, signs in, upgrades it under requests,
// removes it and purges it.
func TestDebianPackage(t *testing.T) {
	packages := map[string]string{}
	for _, version := range []string{"v0.1.0", "v0.2.0"} {
		r := newRelease(t, version)
		r.artefacts(t)
		packages[version] = r.name("-linux-" + r.architectures[0] + ".deb")
	}
	m := boot(t)
	for version, file := range packages {
		m.put(file, "/tmp/"+version+".deb")
	}
	const url = "http://127.0.0.1:8080"

	began := time.Now()
	m.run("dpkg --install /tmp/v0.1.0.deb")
	installed := time.Since(began)
	m.run("problems health --timeout 30s")
	ready := time.Since(began)
	token := m.run("journalctl --unit problems --output cat | grep -E '^pts_[0-9A-Za-z]{49}$'")
	page := m.run(`curl --silent --cookie-jar /tmp/jar --cookie /tmp/jar --location --header 'Sec-Fetch-Site: same-origin' --data-urlencode token=` + token + ` ` + url + `/sign-in`)
	if !strings.Contains(page, "admin@localhost") && !strings.Contains(page, "/sign-out") {
		t.Errorf("the page after signing in is\n%.2000s", page)
	}
	t.Logf("from the package to an installed service in %v, to a ready one in %v, to a signed-in page in %v", installed.Round(time.Millisecond), ready.Round(time.Millisecond), time.Since(began).Round(time.Millisecond))
	api := "curl --silent --fail --header 'Authorization: " + token + "' --header 'Content-Type: application/json' " + url + "/api/20151105/problems"
	m.run(api + ` --data '{"title":"Before the upgrade"}'`)
	for what, c := range map[string]struct{ command, want string }{
		"user":             {"ps -o user= -p $(systemctl show --value --property MainPID problems)", "problems"},
		"mode of the data": {"stat --format '%a %U' /var/lib/problems", "700 problems"},
		"mode of settings": {"stat --format '%a %U %G' /etc/problems/problems.env", "640 root problems"},
		"start at boot":    {"systemctl is-enabled problems.service problems.socket | sort -u", "enabled"},
		"version":          {"problems version", "problems v0.1.0"},
	} {
		if got := m.run(c.command); got != c.want {
			t.Errorf("%s: %q; want %q", what, got, c.want)
		}
	}

	// A setting of the operator survives the upgrade, and takes effect by it.
	m.run("echo PROBLEMS_MAX_RATE=12345 >> /etc/problems/problems.env")
	m.run(`systemd-run --quiet --unit clients sh -c 'while :; do curl --silent --show-error --fail --output /dev/null ` + url + `/healthz && echo answered || echo refused; done >> /tmp/clients 2>&1'`)
	answered := func() int { return len(strings.Fields(m.run("grep answered /tmp/clients || true"))) }
	m.await("clients are answered", func() bool { return answered() > 20 })
	m.run("dpkg --install --force-confold /tmp/v0.2.0.deb")
	m.run("problems health --timeout 30s")
	before := answered()
	m.await("clients are answered after the upgrade", func() bool { return answered() > before+20 })
	if refused := m.run("grep --count refused /tmp/clients || true"); refused != "0" {
		t.Errorf("%s of %d clients were refused:\n%s", refused, answered(), m.run("grep --invert-match answered /tmp/clients; journalctl --unit problems --output short-precise --no-pager | grep -v request | tail -n 20"))
	}
	if got := m.run("problems version"); got != "problems v0.2.0" {
		t.Errorf("after the upgrade the version is %q", got)
	}
	if got := m.run(`tr '\0' '\n' < /proc/$(systemctl show --value --property MainPID problems)/environ | grep MAX_RATE`); got != "PROBLEMS_MAX_RATE=12345" {
		t.Errorf("after the upgrade the service has %q", got)
	}
	if got := m.run(api + "/1"); !strings.Contains(got, "Before the upgrade") {
		t.Errorf("after the upgrade the problem is %s", got)
	}
	m.run("systemctl stop clients")

	m.run("dpkg --remove problems")
	if output, err := m.try("curl --silent " + url + "/healthz"); err == nil {
		t.Errorf("after the removal the service answers %s", output)
	}
	if output, err := m.try("systemctl is-enabled problems.service problems.socket"); err == nil {
		t.Errorf("after the removal the units are %s", output)
	}
	m.run("test -f /etc/problems/problems.env && test -f /var/lib/problems/problems.db")
	if got := m.run("dpkg --purge problems"); !strings.Contains(got, "still in /var/lib/problems") {
		t.Errorf("the purge says nothing of the data: %s", got)
	}
	m.run("test ! -e /etc/problems/problems.env && test -f /var/lib/problems/problems.db && test ! -e /usr/bin/problems")
}
