package cli_test

import (
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/app/internal/cli"
	"github.com/problemtracking/problems/domain/access"
)

// With a clock that is years beyond the store, neither the service nor a command writes
// to it, unless it is told that the clock is right. Reading is no matter of dates.
func TestClockBeyondTheStore(t *testing.T) {
	t.Parallel()
	env := variables{"PROBLEMS_STORE": sqliteURL(t)}
	start(t, env).end(t)
	later := func(by time.Duration, args ...string) result {
		var stdout, stderr output
		p := process(env, args, &stdout, &stderr)
		p.Now = func() time.Time { return time.Now().Add(by) }
		return result{cli.Run(t.Context(), p), stdout.String(), stderr.String()}
	}
	const years, weeks = 10 * 365 * 24 * time.Hour, 30 * 24 * time.Hour
	for _, args := range [][]string{
		{"serve", "--listen=127.0.0.1:0"},
		{"token", "create", "--user=admin@localhost", "--scope=read"},
		{"user", "add", "--name=Ann", "--email=ann@example.org"},
		{"user", "add", "--name=Ann", "--email=ann@example.org", "--max-clock-gap=30000h"},
	} {
		r := later(years, args...)
		if r.code != 1 || r.stdout != "" || !strings.Contains(r.stderr, "3650 days ahead of the newest change in the store") || !strings.Contains(r.stderr, "If it is right, use --accept-clock") {
			t.Errorf("problems %s: exit code %d\n%s%s", strings.Join(args, " "), r.code, r.stdout, r.stderr)
		}
	}
	for _, args := range [][]string{{"user", "list"}, {"token", "list"}} {
		if r := later(years, args...); r.code != 0 {
			t.Errorf("problems %s: exit code %d\n%s", strings.Join(args, " "), r.code, r.stderr)
		}
	}
	for by, args := range map[time.Duration][]string{
		weeks:     {"user", "add", "--name=Ann", "--email=ann@example.org"},
		years:     {"user", "add", "--name=Bo", "--email=bo@example.org", "--accept-clock"},
		3 * years: {"user", "add", "--name=Cy", "--email=cy@example.org", "--max-clock-gap=0"},
	} {
		if r := later(by, args...); r.code != 0 {
			t.Errorf("problems %s: exit code %d\n%s", strings.Join(args, " "), r.code, r.stderr)
		}
	}
	remote := call(t, variables{"PROBLEMS_URL": "http://127.0.0.1:1", "PROBLEMS_TOKEN": access.NewSecret([32]byte{}).Reveal()}, "token", "list", "--accept-clock")
	if remote.code != 1 || !strings.Contains(remote.stderr, "--accept-clock works on a store only") {
		t.Errorf("through a server: exit code %d\n%s", remote.code, remote.stderr)
	}
}
