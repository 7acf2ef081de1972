package cli_test

import (
	"crypto/x509"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
	"github.com/problemtracking/problems/adapters/postgres/postgrestest/certificates"
	"github.com/problemtracking/problems/adapters/postgres/postgrestest/ports"
)

// pairUntil writes a certificate for localhost with its end, and its key.
func pairUntil(t *testing.T, end time.Time) (cert, key string) {
	t.Helper()
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	template := x509.Certificate{DNSNames: []string{"localhost"}, NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: end}
	if _, err := certificates.Write(cert, key, template); err != nil {
		t.Fatal(err)
	}
	return cert, key
}

// freeAddress returns an address that nobody has.
func freeAddress(t *testing.T) string {
	t.Helper()
	address, err := ports.Address()
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// mailServer returns the URL of a program that greets like a mail server.
func mailServer(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for c, err := l.Accept(); err == nil; c, err = l.Accept() {
			_, _ = c.Write([]byte("220 mail.example.org ESMTP\r\n"))
			_ = c.Close()
		}
	}()
	return "smtp://" + l.Addr().String()
}

// TestDoctor plants faults in the settings and around them. The doctor names each, with
// the way to mend it, and nothing else.
func TestDoctor(t *testing.T) {
	t.Parallel()
	store := sqliteURL(t)
	service := start(t, variables{"PROBLEMS_STORE": store})
	running := strings.TrimPrefix(service.url, "http://")
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	other, err := net.Listen("tcp", "127.0.0.1:0") // says nothing, and ends each connection
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	go func() {
		for c, err := other.Accept(); err == nil; c, err = other.Accept() {
			c.Close()
		}
	}()
	ended, endedKey := pairUntil(t, time.Now().Add(-time.Hour))
	ending, endingKey := pairUntil(t, time.Now().Add(time.Hour))
	good, goodKey := pairUntil(t, time.Now().Add(1000*time.Hour))
	open := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(open, []byte("hunter2"), 0o644); err != nil {
		t.Fatal(err)
	}
	loose := filepath.Join(t.TempDir(), "problems.db")
	start(t, variables{"PROBLEMS_STORE": "sqlite://" + loose}).end(t)
	if err := os.Chmod(loose, 0o644); err != nil {
		t.Fatal(err)
	}
	lossy := postgrestest.Schema(t)
	must(t, variables{"PROBLEMS_STORE": lossy}, "migrate")
	empty := postgrestest.Schema(t)
	mailer := mailServer(t)
	var provider *httptest.Server
	provider = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.Method + " " + r.URL.Path {
		case "GET /.well-known/openid-configuration", "GET /other/.well-known/openid-configuration":
			_, _ = fmt.Fprintf(w, `{"issuer":%q}`, provider.URL)
		case "POST /v1/traces":
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(provider.Close)
	none := "http://" + freeAddress(t)
	key := filepath.Join(t.TempDir(), "webhook-key")
	if err := os.WriteFile(key, []byte(base64.StdEncoding.EncodeToString(make([]byte, 32))), 0o600); err != nil {
		t.Fatal(err)
	}
	hooked, keyless := filepath.Join(t.TempDir(), "problems.db"), filepath.Join(t.TempDir(), "problems.db")
	for _, path := range []string{hooked, keyless} {
		s := start(t, variables{"PROBLEMS_STORE": "sqlite://" + path})
		s.hook(t, s.token(t))
		s.end(t)
	}
	if err := os.Remove(keyless + ".webhook-key"); err != nil {
		t.Fatal(err)
	}
	attached, cut := filepath.Join(t.TempDir(), "problems.db"), filepath.Join(t.TempDir(), "problems.db")
	for _, path := range []string{attached, cut} {
		s := start(t, variables{"PROBLEMS_STORE": "sqlite://" + path})
		s.attach(t, s.token(t))
		s.end(t)
	}
	files, err := filepath.Glob(strings.TrimSuffix(cut, ".db") + "-files/1/*")
	if err != nil || len(files) != 1 || os.Truncate(files[0], 1) != nil {
		t.Fatalf("the files are %v, %v", files, err)
	}
	nowhere := filepath.Join(t.TempDir(), "files")
	const noKey = "warning  PROBLEMS_WEBHOOK_KEY_FILE names no key"
	from := func(issuer string) variables {
		return openID(variables{"PROBLEMS_OIDC_ISSUER": issuer})
	}

	for name, c := range map[string]struct {
		env   variables
		want  []string // parts of the lines, in their order
		grave bool
	}{
		"nothing":          {nil, []string{"ok       the settings are in order", "ok       " + store + " is in order"}, false},
		"a service":        {variables{"PROBLEMS_LISTEN": running}, []string{"ok       the settings", "ok       a service answers at " + running, "is in order"}, false},
		"settings":         {variables{"PROBLEMS_MAX_BODY": "much", "PROBLEMS_WEB": "yes"}, []string{"FAULT    PROBLEMS_WEB has to be one of", "Mend: correct", "FAULT    PROBLEMS_MAX_BODY: a size", "Mend: correct", "ok       " + store}, true},
		"taken":            {variables{"PROBLEMS_METRICS_LISTEN": taken.Addr().String()}, []string{"FAULT    the address of PROBLEMS_METRICS_LISTEN, " + taken.Addr().String() + ", cannot be taken", "Mend: choose another", "ok", "ok"}, true},
		"everybody":        {variables{"PROBLEMS_TRUSTED_PROXIES": "0.0.0.0/0", "PROBLEMS_WEBHOOK_ALLOW": "::/0"}, []string{"warning  PROBLEMS_TRUSTED_PROXIES has networks of strangers", "Mend: name the addresses", "warning  PROBLEMS_WEBHOOK_ALLOW has whole networks", "Mend: name the addresses", "ok", "ok"}, false},
		"refused URLs":     {openID(variables{"PROBLEMS_OIDC_ISSUER": "https://ann:hunter2@" + freeAddress(t), "PROBLEMS_TRACES_URL": "http://ann:hunter2@" + freeAddress(t), "PROBLEMS_CORS_ORIGINS": "https://ann:hunter2@a.example"}), []string{"FAULT    PROBLEMS_TRACES_URL: has to be a URL", "Mend:", "FAULT    PROBLEMS_OIDC_ISSUER has to be a URL", "Mend:", "FAULT    PROBLEMS_CORS_ORIGINS takes origins", "Mend:", "ok"}, true},
		"replies":          {replies(variables{"PROBLEMS_MAIL_URL": mailer, "PROBLEMS_MAIL_REPLIES_LISTEN": freeAddress(t)}), []string{"ok", "ok"}, false},
		"replies, taken":   {replies(variables{"PROBLEMS_MAIL_URL": mailer, "PROBLEMS_MAIL_REPLIES_LISTEN": other.Addr().String()}), []string{"FAULT    the address of PROBLEMS_MAIL_REPLIES_LISTEN, " + other.Addr().String() + ", has another program", "Mend: choose another", "ok", "ok"}, true},
		"replies, nowhere": {replies(variables{"PROBLEMS_MAIL_URL": mailer, "PROBLEMS_MAIL_REPLIES_LISTEN": "unix:/nowhere/lmtp.sock"}), []string{"FAULT    the directory of PROBLEMS_MAIL_REPLIES_LISTEN, /nowhere, is not there", "Mend: make the directory", "ok", "ok"}, true},
		"ended":            {variables{"PROBLEMS_TLS_CERT": ended, "PROBLEMS_TLS_KEY": endedKey}, []string{"FAULT    the certificate of PROBLEMS_TLS_CERT has ended", "Mend: renew", "ok", "ok"}, true},
		"ending":           {variables{"PROBLEMS_TLS_CERT": ending, "PROBLEMS_TLS_KEY": endingKey}, []string{"warning  the certificate of PROBLEMS_TLS_CERT ends at", "Mend: renew", "ok", "ok"}, false},
		"another name":     {variables{"PROBLEMS_TLS_CERT": good, "PROBLEMS_TLS_KEY": goodKey, "PROBLEMS_PUBLIC_URL": "https://tracker.example.org"}, []string{"warning  the certificate of PROBLEMS_TLS_CERT is not for tracker.example.org, the host of PROBLEMS_PUBLIC_URL", "Mend:", "ok", "ok"}, false},
		"connections":      {variables{"PROBLEMS_MAX_CONNECTIONS": "100000000"}, []string{"warning  the limit of open files allows", "Mend: raise the limit", "ok", "ok"}, false},
		"secret":           {variables{"PROBLEMS_STORE": lossy, "PROBLEMS_STORE_PASSWORD_FILE": open}, []string{"warning  every user of this machine can read the file of PROBLEMS_STORE_PASSWORD_FILE", "Mend: chmod o-r " + open, noKey, "Mend: make a key", "FAULT    the store cannot be examined", "Mend:", "ok"}, true},
		"no store":         {variables{"PROBLEMS_STORE": "sqlite:///nowhere/problems.db"}, []string{"FAULT    the store cannot be examined: there is no store at /nowhere/problems.db", "Mend:", "ok"}, true},
		"file for all":     {variables{"PROBLEMS_STORE": "sqlite://" + loose}, []string{"warning  other users of this machine can read " + loose, "Mend: chmod 600 " + loose, "ok"}, false},
		"memory":           {variables{"PROBLEMS_STORE": "memory:"}, []string{"ok", "ok       memory: is of a kind without an examination"}, false},
		"no schema yet":    {variables{"PROBLEMS_STORE": empty}, []string{noKey, "Mend:", "FAULT    the schema lacks 0100_initial", `Mend: run "problems migrate"`, "ok"}, true},
		"sound PostgreSQL": {variables{"PROBLEMS_STORE": lossy, "PROBLEMS_WEBHOOK_KEY_FILE": key}, []string{"ok", "ok"}, false},
		"webhooks":         {variables{"PROBLEMS_STORE": "sqlite://" + hooked}, []string{"ok", "ok"}, false},
		"another key":      {variables{"PROBLEMS_STORE": "sqlite://" + hooked, "PROBLEMS_WEBHOOK_KEY_FILE": key}, []string{"warning  the service cannot deliver to 1 of 1 active webhooks: this server has another key than the one behind the secret", "Mend: give all servers of the store the same key by PROBLEMS_WEBHOOK_KEY_FILE", "ok", "ok"}, false},
		"files":            {variables{"PROBLEMS_STORE": "sqlite://" + attached}, []string{"ok", "ok       1 files of attachments are as in their records", "ok"}, false},
		"a cut file":       {variables{"PROBLEMS_STORE": "sqlite://" + cut}, []string{"warning  of the files of attachments in file://", "Mend: restore them", "ok", "ok"}, false},
		"no files":         {variables{"PROBLEMS_STORE": "sqlite://" + attached, "PROBLEMS_FILES": "none"}, []string{"FAULT    the store has attachments, and the settings name no place", "Mend: set PROBLEMS_FILES", "ok", "ok"}, true},
		"files elsewhere":  {variables{"PROBLEMS_STORE": "sqlite://" + attached, "PROBLEMS_FILES": "file://" + nowhere}, []string{"FAULT    the files of attachments are not in file://" + nowhere, "Mend: mount the disk", "ok", "ok"}, true},
		"files in memory":  {variables{"PROBLEMS_FILES": "memory:"}, []string{"FAULT    PROBLEMS_FILES cannot be memory: with a store that lasts", "Mend: correct the setting", "ok"}, true},
		"a lost key":       {variables{"PROBLEMS_STORE": "sqlite://" + keyless}, []string{"warning  the service cannot deliver to 1 of 1 active webhooks: the server has no key for the secrets of webhooks (PROBLEMS_WEBHOOK_KEY_FILE): the file problems.db.webhook-key cannot be read", "Mend: give all servers", "ok", "ok"}, false},
		"no mail server":   {replies(variables{"PROBLEMS_MAIL_URL": "smtp://" + other.Addr().String(), "PROBLEMS_MAIL_REPLIES_LISTEN": freeAddress(t)}), []string{"warning  the mail server of PROBLEMS_MAIL_URL, " + other.Addr().String() + ", cannot be reached: no mail server answers there", "Mend: start it", "ok", "ok"}, false},
		"no mail by TLS":   {replies(variables{"PROBLEMS_MAIL_URL": strings.Replace(mailer, "smtp:", "smtps:", 1), "PROBLEMS_MAIL_REPLIES_LISTEN": freeAddress(t)}), []string{"warning  the mail server of PROBLEMS_MAIL_URL, ", "Mend:", "ok", "ok"}, false},
		"provider":         {from(provider.URL), []string{"ok", "ok"}, false},
		"provider's name":  {from(provider.URL + "/other"), []string{"warning  the provider of PROBLEMS_OIDC_ISSUER, " + provider.URL + "/other, calls itself \"" + provider.URL + "\"", "Mend: write the setting exactly", "ok", "ok"}, false},
		"no provider":      {from(none), []string{"warning  the provider of PROBLEMS_OIDC_ISSUER, " + none + ", cannot be reached: dial tcp", "Mend: start it", "ok", "ok"}, false},
		"collector":        {variables{"PROBLEMS_TRACES_URL": provider.URL}, []string{"ok", "ok"}, false},
		"no collector":     {variables{"PROBLEMS_TRACES_URL": provider.URL + "/x"}, []string{"warning  the collector of PROBLEMS_TRACES_URL, " + provider.URL + "/x, cannot be reached: POST of " + provider.URL + "/x is answered with status 404", "Mend: start it", "ok", "ok"}, false},
		"clock":            {variables{"PROBLEMS_MAX_CLOCK_GAP": "1ns"}, []string{"FAULT    ", "Mend: set the clock of this machine", "ok", "ok"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			env := variables{"HOME": "/nowhere", "PROBLEMS_STORE": store, "PROBLEMS_LISTEN": freeAddress(t)}
			for name, value := range c.env {
				env[name] = value
			}
			r := call(t, env, "doctor")
			lines := strings.Split(strings.TrimSuffix(r.stdout, "\n"), "\n")
			fits := len(lines) == len(c.want)
			for i := 0; fits && i < len(lines); i++ {
				fits = strings.Contains(lines[i], c.want[i])
			}
			code := 0
			if c.grave {
				code = 1
			}
			if !fits || r.code != code || strings.Contains(r.stdout+r.stderr, "hunter2") {
				t.Errorf("exit code %d; want %d and lines with %q:\n%s%s", r.code, code, c.want, r.stdout, r.stderr)
			}
		})
	}
	if _, err := os.Stat(keyless + ".webhook-key"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the doctor has made a key: %v", err)
	}
	if _, err := os.Stat(nowhere); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the doctor has made a folder: %v", err)
	}
}

// attach makes problem 1, with an attachment.
func (s *running) attach(t *testing.T, token string) {
	t.Helper()
	for _, request := range [][3]string{{"/problems", "application/json", `{"title":"The lamp is dark"}`}, {"/problems/1/attachments", "text/plain", "a file"}} {
		r, err := http.NewRequestWithContext(t.Context(), "POST", s.url+"/api/20151105"+request[0], strings.NewReader(request[2]))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = http.Header{"Authorization": {token}, "Content-Type": {request[1]}, "Content-Disposition": {"attachment; filename=a.txt"}}
		answer, err := http.DefaultClient.Do(r)
		if err != nil || answer.StatusCode != http.StatusCreated {
			t.Fatalf("%s: %v, %v", request[0], answer, err)
		}
		answer.Body.Close()
	}
}

// TestDoctorReadsRecords changes rows by other means. The doctor names each problem that cannot
// be read, and the export leads to the doctor.
func TestDoctorReadsRecords(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "problems.db")
	env := variables{"HOME": "/nowhere", "PROBLEMS_STORE": "sqlite://" + path, "PROBLEMS_LISTEN": freeAddress(t)}
	s := start(t, variables{"PROBLEMS_STORE": "sqlite://" + path})
	token := s.token(t)
	for range 3 {
		s.post(t, token, "One")
	}
	s.end(t)
	in := func(text string, parts ...string) bool {
		for _, part := range parts {
			_, rest, found := strings.Cut(text, part)
			if !found {
				return false
			}
			text = rest
		}
		return true
	}
	const wrong = "cannot be read: the store failed: table "
	for _, c := range []struct {
		plant string
		code  int
		want  []string // parts of the output, in their order
	}{
		{"SELECT 1", 0, []string{"ok       the settings", "ok       all records can be read", "ok       sqlite://" + path + " is in order"}},
		{"UPDATE problems SET modifier = 'x' WHERE id = 2", 1, []string{"FAULT    problem 2 " + wrong + "problems, problem 2: column modifier", "Mend: correct the row", "ok       the settings"}},
		{"UPDATE log SET batch = 'x' WHERE problem = 3", 1, []string{"FAULT    problem 2 " + wrong + "problems, problem 2", "FAULT    problem 3 " + wrong + "log, problem 3: column batch"}},
		{"DELETE FROM problems WHERE id > 1; DELETE FROM log WHERE problem > 1; UPDATE tokens SET digest = x'00'", 1, []string{"FAULT    a record cannot be read: the store failed: "}},
		{"UPDATE priorities SET id = 'x' WHERE rank = (SELECT min(rank) FROM priorities)", 1, []string{"table priorities", "Mend: the error says", "FAULT    a record cannot be read: the store failed: "}},
	} {
		db, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.ExecContext(t.Context(), c.plant); err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		r := call(t, env, "doctor", "--records")
		if r.code != c.code || !in(r.stdout, c.want...) || c.code != 0 && strings.Contains(r.stdout, "is in order.") {
			t.Errorf("%s: exit code %d; want %d and %q:\n%s%s", c.plant, r.code, c.code, c.want, r.stdout, r.stderr)
		}
		if r := call(t, env, "export"); (r.code != 0) != (c.code != 0) || c.code != 0 && !strings.Contains(r.stderr, "problems doctor --records") {
			t.Errorf("%s: the export: exit code %d, %s", c.plant, r.code, r.stderr)
		}
	}
}
