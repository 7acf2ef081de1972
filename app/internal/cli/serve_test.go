package cli_test

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
	"github.com/problemtracking/problems/adapters/postgres/postgrestest/certificates"
	"github.com/problemtracking/problems/app/internal/cli"
	"github.com/problemtracking/problems/domain/access"
)

var tokenLine = regexp.MustCompile(`^pts_[0-9A-Za-z]{49}$`)

func TestFirstAndLaterStart(t *testing.T) {
	t.Parallel()
	home := variables{"HOME": filepath.Join(t.TempDir(), "a&b"), "PROBLEMS_STORE_PASSWORD_FILE": "of another store"}
	first := start(t, home)
	if len(first.lines) != 1 || !tokenLine.MatchString(first.lines[0]) {
		t.Fatalf("on an empty store the service prints %q", first.stdout)
	}
	token := first.lines[0]
	if status := first.get(t, token, "/api/20151105/me"); status != http.StatusOK {
		t.Errorf("the token gets the status %d", status)
	}
	first.end(t)

	later := start(t, home)
	path := filepath.Join(home["HOME"], ".local/share/problems/problems.db")
	want := []string{"problems token create --user admin@localhost --scope admin --store 'sqlite://" + path + "'"}
	if !slices.Equal(later.lines, want) {
		t.Errorf("on a later start the service prints %q; want %q", later.lines, want)
	}
	if status := later.get(t, token, "/api/20151105/me"); status != http.StatusOK {
		t.Errorf("after a restart the token gets the status %d", status)
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the data directory has the mode %v, %v; want 0700", info.Mode(), err)
	}
	for _, s := range []*running{first, later} {
		if strings.Contains(s.stderr.String(), token[4:]) {
			t.Errorf("the token is in the log:\n%s", s.stderr)
		}
	}
}

// D35: the command that is printed on a later start works, whoever is left.
func TestLaterStartWithoutTheFirstAdministrator(t *testing.T) {
	t.Parallel()
	env := variables{"PROBLEMS_STORE": sqliteURL(t)}
	start(t, env).end(t)
	must(t, env, "user", "add", "--name", "Ann", "--email", "ann@example.org")
	must(t, env, "user", "add", "--name", "Bob", "--email", "bob@example.org")
	must(t, env, "user", "add", "--name", "Eve", "--email", "eve@example.org")
	for _, step := range []struct {
		rule   string
		before []string
		want   string
	}{
		{"anybody active, without the first administrator", []string{"user", "deactivate", "--last-admin", "admin@localhost"}, "eve@example.org"},
		{"who had a token of scope admin last", []string{"token", "create", "--user", "bob@example.org", "--scope", "admin"}, "bob@example.org"},
		{"not who is inactive", []string{"user", "deactivate", "--last-admin", "bob@example.org"}, "eve@example.org"},
	} {
		must(t, env, step.before...)
		later := start(t, env)
		later.end(t)
		printed := strings.Fields(strings.Join(later.lines, " "))
		if len(printed) < 5 || printed[4] != step.want {
			t.Fatalf("%s: the service prints %q, want a token for %s", step.rule, later.lines, step.want)
		}
		must(t, env, printed[1:7]...)
	}
}

func TestBootstrapToken(t *testing.T) {
	t.Parallel()
	var random [32]byte
	_, _ = rand.Read(random[:])
	secret := access.NewSecret(random).Reveal()
	env := variables{"PROBLEMS_STORE": sqliteURL(t), "PROBLEMS_BOOTSTRAP_TOKEN": secret}

	first := start(t, env, "--hints=always")
	if got := first.stdout.String() + first.stderr.String(); strings.Contains(got, secret[4:]) {
		t.Errorf("the token is echoed:\n%s", got)
	}
	if status := first.get(t, secret, "/api/20151105/me"); status != http.StatusOK {
		t.Errorf("the token gets the status %d", status)
	}
	first.end(t)

	// On a store that is not empty it means nothing.
	_, _ = rand.Read(random[:])
	env["PROBLEMS_BOOTSTRAP_TOKEN"] = access.NewSecret(random).Reveal()
	later := start(t, env)
	if len(later.lines) != 1 || !strings.HasPrefix(later.lines[0], "problems token create ") {
		t.Errorf("on a later start the service prints %q", later.lines)
	}
	if status := later.get(t, env["PROBLEMS_BOOTSTRAP_TOKEN"], "/api/20151105/me"); status != http.StatusUnauthorized {
		t.Errorf("another token gets the status %d", status)
	}
	if status := later.get(t, secret, "/api/20151105/me"); status != http.StatusOK {
		t.Errorf("the first token gets the status %d", status)
	}
}

func TestMemoryStartsAnew(t *testing.T) {
	t.Parallel()
	var tokens []string
	for range 2 {
		s := start(t, nil, "--store=memory:")
		tokens = append(tokens, s.token(t))
		s.end(t)
		if !strings.Contains(s.stderr.String(), "nothing survives a restart") {
			t.Errorf("the log does not warn:\n%s", s.stderr)
		}
	}
	if tokens[0] == tokens[1] {
		t.Errorf("two starts have the same token")
	}
}

func TestHints(t *testing.T) {
	t.Parallel()
	s := start(t, nil, "--store=memory:", "--hints=always", "--base-path=/tracker")
	if !strings.HasSuffix(s.url, "/tracker") {
		t.Errorf("the address is %s", s.url)
	}
	for _, want := range []string{"  " + s.url + "/docs\n", "  curl " + s.url + "/api/20151105/problems -H \"Authorization: " + s.lines[0] + "\" "} {
		if !strings.Contains(s.stdout.String(), want) {
			t.Errorf("%q is missing in\n%s", want, s.stdout)
		}
	}
	for _, path := range []string{"/docs", "/api/20151105/me"} {
		if status := s.get(t, s.lines[0], path); status != http.StatusOK {
			t.Errorf("%s has the status %d", path, status)
		}
	}
}

func TestNoPlaceForTheData(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"serve", "migrate", "user list"} {
		r := call(t, nil, strings.Fields(command)...)
		if r.code != 1 || !strings.Contains(r.stderr, "set PROBLEMS_STORE or PROBLEMS_DATA_DIR") {
			t.Errorf("problems %s: exit code %d\n%s", command, r.code, r.stderr)
		}
	}
}

func TestOneServicePerFile(t *testing.T) {
	t.Parallel()
	store := sqliteURL(t)
	first := start(t, nil, "--store", store)
	r := call(t, nil, "serve", "--store", store, "--listen=127.0.0.1:0")
	if r.code != 1 || r.stdout != "" || !strings.Contains(r.stderr, "problems: ") || !strings.Contains(r.stderr, "serve") {
		t.Errorf("a second service ends with the exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	if status := first.get(t, first.token(t), "/api/20151105/me"); status != http.StatusOK {
		t.Errorf("the first service answers %d", status)
	}
}

// A start that fails leaves the store empty: its token was never shown.
func TestPortInUse(t *testing.T) {
	t.Parallel()
	store := sqliteURL(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	address := taken.Addr().String()
	for _, flag := range []string{"--listen", "--metrics-listen"} {
		r := call(t, nil, "serve", "--store", store, "--listen=127.0.0.1:0", flag, address)
		if r.code != 1 || r.stdout != "" || !strings.Contains(r.stderr, "problems: cannot listen on "+address+": ") || !strings.Contains(r.stderr, "address already in use") {
			t.Errorf("with %s in use: exit code %d\n%s%s", flag, r.code, r.stdout, r.stderr)
		}
	}
	start(t, nil, "--store", store).token(t)
}

// slowRequest is a POST of a problem whose body is under way.
type slowRequest struct {
	conn net.Conn
	body string
}

func (s *running) slowRequest(t *testing.T, token string) slowRequest {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	body := `{"title":"slow"}`
	_, err = fmt.Fprintf(conn, "POST /api/20151105/problems HTTP/1.1\r\nHost: test\r\nAuthorization: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", token, len(body))
	if err != nil {
		t.Fatal(err)
	}
	// The server asks for the body once the handler wants to read it.
	line, err := bufio.NewReader(io.LimitReader(conn, int64(len("HTTP/1.1 100 Continue\r\n\r\n")))).ReadString('\n')
	if err != nil || !strings.Contains(line, "100 Continue") {
		t.Fatalf("the server answers %q, %v", line, err)
	}
	return slowRequest{conn, body}
}

func TestShutdownFinishesWhatIsUnderWay(t *testing.T) {
	t.Parallel()
	store := sqliteURL(t)
	s := start(t, nil, "--store", store)
	token := s.token(t)
	request := s.slowRequest(t, token)
	s.stop()
	for { // until the port is closed
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			break
		}
		_ = conn.Close()
	}
	if _, err := io.WriteString(request.conn, request.body); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(request.conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusCreated {
		t.Fatalf("the request under way has the status %d", response.StatusCode)
	}
	s.end(t)

	again := start(t, nil, "--store", store)
	if status := again.get(t, token, response.Header.Get("Location")); status != http.StatusOK {
		t.Errorf("what was answered with 201 has the status %d after a restart", status)
	}
}

func TestShutdownHasALimit(t *testing.T) {
	t.Parallel()
	s := start(t, nil, "--store=memory:", "--shutdown-timeout=10ms")
	s.slowRequest(t, s.token(t))
	s.end(t)
	if !strings.Contains(s.stderr.String(), "requests under way were cut off") {
		t.Errorf("the log does not say so:\n%s", s.stderr)
	}
}

func TestLogAndMetrics(t *testing.T) {
	t.Parallel()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	metricsAddress := free.Addr().String()
	_ = free.Close()
	s := start(t, nil, "--store", sqliteURL(t), "--metrics-listen", metricsAddress, "--public-url", "http://tracker.example.org")
	token := s.token(t)
	// A page of a foreign site can name its own host as this server.
	for host, want := range map[string]int{
		"": 200, "problems": 200, "problems:9090": 200, "[2001:db8::1]:9090": 200, "192.0.2.1": 200, "Tracker.example.org:9090": 200,
		"evil.example": 421, "127.0.0.1.evil.example:9090": 421, "localhost.": 421,
	} {
		request, err := http.NewRequestWithContext(t.Context(), "GET", "http://"+metricsAddress+"/metrics", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Host = host
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		if _ = response.Body.Close(); response.StatusCode != want {
			t.Errorf("to the host %q, /metrics has the status %d, want %d", host, response.StatusCode, want)
		}
	}
	s.get(t, token, "/api/20151105/me")
	s.get(t, "pts_unknown", "/api/20151105/me")
	if status := s.get(t, token, "/metrics"); status != http.StatusNotFound {
		t.Errorf("/metrics has the status %d beside the API", status)
	}
	response, err := http.Get("http://" + metricsAddress + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	page, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`problems_http_requests_total{method="GET",route="/api/20151105/me",status="200"} 1`,
		`problems_http_requests_total{method="GET",route="/api/20151105/me",status="401"} 1`,
		`problems_http_request_duration_seconds_count{method="GET",route="/api/20151105/me"} 2`,
		`problems_commits_total{outcome="ok"} 1`,
		`problems_commit_duration_seconds_count 1`,
		`problems_commit_retries_total 0`,
		`problems_store_transactions_total 1`,
		`go_sql_open_connections{db_name="writer"}`,
		`problems_build_info{`,
		`process_resident_memory_bytes`,
		`go_goroutines`,
	} {
		if !strings.Contains(string(page), want) {
			t.Errorf("/metrics does not have %s", want)
		}
	}

	type entry struct {
		Message string `json:"msg"`
		Request string
		Route   string
		Status  int
		Token   string
		Ms      *float64
	}
	s.end(t) // writes what the log still holds
	var entries []entry
	for _, line := range strings.Split(strings.TrimSpace(s.stderr.String()), "\n") {
		if e := decode[entry](t, line); e.Message == "request" && e.Route == "/api/20151105/me" {
			entries = append(entries, e)
		}
	}
	if len(entries) != 2 {
		t.Fatalf("the log has %d requests:\n%s", len(entries), s.stderr)
	}
	if e := entries[0]; e.Request == "" || e.Status != 200 || len(e.Token) != 36 || e.Ms == nil {
		t.Errorf("the log says of the request with a token %+v", e)
	}
	if e := entries[1]; e.Request == "" || e.Request == entries[0].Request || e.Status != 401 || e.Token != "" {
		t.Errorf("the log says of the request without a token %+v", e)
	}
}

func TestTLS(t *testing.T) {
	t.Parallel()
	certFile, keyFile := filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	known, err := certificates.Write(certFile, keyFile, x509.Certificate{IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}})
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, nil, "--store=memory:", "--tls-cert", certFile, "--tls-key", keyFile)
	if !strings.HasPrefix(s.url, "https://127.0.0.1:") {
		t.Fatalf("the address is %s", s.url)
	}
	roots := x509.NewCertPool()
	roots.AddCert(known)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}}
	response, err := client.Get(s.url + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	client.CloseIdleConnections()
	if response.StatusCode != http.StatusOK || response.ProtoMajor != 2 {
		t.Errorf("the status is %s by %s; want 200 by HTTP/2", response.Status, response.Proto)
	}

	r := call(t, nil, "serve", "--store=memory:", "--listen=127.0.0.1:0", "--tls-cert", keyFile, "--tls-key", certFile)
	if r.code != 1 || !strings.Contains(r.stderr, "the TLS certificate cannot be used: ") {
		t.Errorf("with the files exchanged: exit code %d\n%s", r.code, r.stderr)
	}
}

// A service that is told to end while it starts does so, and leaves an empty store
// empty: its token is for the next start to print.
func TestEndWhileStarting(t *testing.T) {
	t.Parallel()
	for _, store := range []string{"memory:", sqliteURL(t), postgrestest.Schema(t)} {
		for what, interrupt := range map[string]func(*cli.Process, func()){
			"at once": func(_ *cli.Process, end func()) { end() },
			"with the store open": func(p *cli.Process, end func()) {
				p.Random = reading{end, p.Random} // for the first token
			},
		} {
			ctx, end := context.WithCancel(t.Context())
			var stdout, stderr output
			p := process(nil, []string{"serve", "--store", store, "--listen=127.0.0.1:0"}, &stdout, &stderr)
			interrupt(&p, end)
			code := cli.Run(ctx, p)
			if code != 0 || stdout.String() != "" || !strings.Contains(stderr.String(), `"msg":"stopped before the start was complete"`) {
				t.Errorf("%s: told to end %s: the exit code is %d, and printed is %q\n%s", store, what, code, &stdout, &stderr)
			}
		}
		later := start(t, nil, "--store", store)
		later.token(t)
		later.end(t)
	}
}

// reading is a source of randomness that says when it is read.
type reading struct {
	read func()
	io.Reader
}

func (r reading) Read(b []byte) (int, error) {
	r.read()
	return r.Reader.Read(b)
}
