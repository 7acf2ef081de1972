package limits

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
)

// pgbenchResult has the counts of pgbench.
type pgbenchResult struct {
	transactions int64
	perSecond    float64
}

// pgbench runs a script for a time of whole seconds, prepared, on two threads. It runs
// longer if the time was too short for a single transaction, since connecting counts too.
// A failed transaction is an error.
func pgbench(ctx context.Context, databaseURL string, script *pgbenchScript, clients int, duration time.Duration) (pgbenchResult, error) {
	programs, err := postgrestest.Folder("pgbench")
	if err != nil {
		return pgbenchResult{}, fmt.Errorf("pgbench is not installed: %w; Debian has it in the package postgresql", err)
	}
	database, err := libpqURL(databaseURL)
	if err != nil {
		return pgbenchResult{}, err
	}
	folder, err := os.MkdirTemp("", "problems-pgbench-")
	if err != nil {
		return pgbenchResult{}, err
	}
	defer func() { _ = os.RemoveAll(folder) }() // a temporary one
	file := filepath.Join(folder, "script.sql")
	if err := os.WriteFile(file, []byte(script.text.String()), 0o600); err != nil {
		return pgbenchResult{}, err
	}
	return longEnough(max(1, int(duration.Round(time.Second)/time.Second)), func(seconds int) (pgbenchResult, error) {
		args := []string{"-n", "-M", "prepared", "-c", strconv.Itoa(clients), "-j", strconv.Itoa(min(2, clients)),
			"-T", strconv.Itoa(seconds), "-f", file}
		for name, value := range script.constants {
			args = append(args, "-D", name+"="+value)
		}
		cmd := exec.CommandContext(ctx, filepath.Join(programs, "pgbench"), append(args, database)...)
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Run(); err != nil {
			return pgbenchResult{}, fmt.Errorf("pgbench: %w\n%s\n%s", err, bytes.TrimSpace(stderr.Bytes()), script.text.String())
		}
		return parsePgbench(stdout.String())
	})
}

// mostSeconds is the limit of time for a first transaction.
const mostSeconds = 60

// longEnough runs pgbench for so many seconds, and for twice as many as long as nothing
// was done in them.
func longEnough(seconds int, run func(seconds int) (pgbenchResult, error)) (pgbenchResult, error) {
	for {
		r, err := run(seconds)
		if err == nil && r.transactions == 0 {
			err = fmt.Errorf("pgbench: not one transaction was done in %d seconds", seconds)
			if seconds < mostSeconds {
				seconds = min(2*seconds, mostSeconds)
				continue
			}
		}
		return r, err
	}
}

var (
	processed = regexp.MustCompile(`(?m)^number of transactions actually processed: (\d+)`)
	failed    = regexp.MustCompile(`(?m)^number of failed transactions: (\d+)`)
	rate      = regexp.MustCompile(`(?m)^tps = ([0-9.]+) \(without initial connection time\)`)
)

// parsePgbench reads the output of pgbench. Without a transaction there is no rate in it.
func parsePgbench(out string) (r pgbenchResult, err error) {
	numbers := make([]string, 3)
	for i, line := range []*regexp.Regexp{processed, failed, rate} {
		if i == 2 && numbers[0] == "0" && numbers[1] == "0" {
			return pgbenchResult{}, nil
		}
		found := line.FindStringSubmatch(out)
		if found == nil {
			return r, fmt.Errorf("pgbench: version 15 or newer is needed: one that prints %q. It printed:\n%s", line, out)
		}
		numbers[i] = found[1]
	}
	if numbers[1] != "0" {
		return r, fmt.Errorf("pgbench: %s transactions failed:\n%s", numbers[1], out)
	}
	if r.transactions, err = strconv.ParseInt(numbers[0], 10, 64); err != nil {
		return r, err
	}
	r.perSecond, err = strconv.ParseFloat(numbers[2], 64)
	return r, err
}

// libpqParameters are the parameters of a URL beside the settings of the session.
var libpqParameters = []string{"sslmode", "sslrootcert", "sslcert", "sslkey", "connect_timeout", "options", "target_session_attrs", "application_name"}

// libpqURL returns the URL of a database for libpq. It wants settings of the session,
// such as search_path, as options.
func libpqURL(databaseURL string) (string, error) {
	u, err := url.Parse(databaseURL)
	if err != nil {
		return "", errors.New("pgbench: the URL of the database cannot be read")
	}
	query, kept := u.Query(), url.Values{}
	var options []string
	for name, values := range query {
		switch {
		case slices.Contains(libpqParameters, name):
			kept[name] = values
		default:
			escaped := strings.NewReplacer(`\`, `\\`, " ", `\ `).Replace(values[0])
			options = append(options, "-c "+name+"="+escaped)
		}
	}
	if len(options) > 0 {
		slices.Sort(options)
		kept.Set("options", strings.TrimSpace(kept.Get("options")+" "+strings.Join(options, " ")))
	}
	// libpq reads + in a URL as a plus, not as a space.
	u.RawQuery = strings.ReplaceAll(kept.Encode(), "+", "%20")
	return u.String(), nil
}
