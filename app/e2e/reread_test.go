package e2e

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
	"github.com/problemtracking/problems/adapters/postgres/postgrestest/certificates"
)

// certificateFiles are those that a server gets.
type certificateFiles struct{ cert, key string }

// renew writes a new certificate for 127.0.0.1, with its key.
func (f certificateFiles) renew(t *testing.T, serial int64) {
	t.Helper()
	template := x509.Certificate{SerialNumber: big.NewInt(serial), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	if _, err := certificates.Write(f.cert, f.key, template); err != nil {
		t.Fatal(err)
	}
}

// writeFile replaces a file in one step: nobody reads a part of it.
func writeFile(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(name+".new", []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(name+".new", name); err != nil {
		t.Fatal(err)
	}
}

// hangUp sends SIGHUP, and waits until the log has the text once more.
func (s *server) hangUp(text string) {
	s.t.Helper()
	before := strings.Count(s.stderr.String(), text)
	if err := s.process().Signal(syscall.SIGHUP); err != nil {
		s.t.Fatal(err)
	}
	await(s.t, func() bool { return strings.Count(s.stderr.String(), text) > before }, func() string {
		return fmt.Sprintf("after SIGHUP the log lacks %q\n%s", text, s.stderr.end())
	})
}

// await waits until something holds.
func await(t testing.TB, holds func() bool, failure func() string) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for end := time.After(patience); !holds(); {
		select {
		case <-tick.C:
		case <-end:
			t.Fatal(failure())
		}
	}
}

// TestCertificateIsRenewed renews the certificate under a running server. Open
// connections go on, also in the middle of a request.
func TestCertificateIsRenewed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := certificateFiles{filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")}
	f.renew(t, 1)
	token, metrics := newToken(t), freeAddress(t)
	s := serve(t, "memory:", "PROBLEMS_BOOTSTRAP_TOKEN="+token, "PROBLEMS_TLS_CERT="+f.cert, "PROBLEMS_TLS_KEY="+f.key, "PROBLEMS_METRICS_LISTEN="+metrics, "PROBLEMS_REREAD_INTERVAL=0")
	// dial returns a connection and the serial number of its certificate.
	dial := func() (*tls.Conn, int64) {
		t.Helper()
		connection, err := tls.Dial("tcp", strings.TrimPrefix(s.url, "https://"), &tls.Config{InsecureSkipVerify: true}) // the serial number tells it
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = connection.Close() })
		if err := connection.SetDeadline(time.Now().Add(patience)); err != nil {
			t.Fatal(err)
		}
		return connection, connection.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
	}
	shown := func(want int64) {
		t.Helper()
		if _, serial := dial(); serial != want {
			t.Errorf("a new connection is shown the certificate %d, not %d", serial, want)
		}
	}
	open, serial := dial()
	if serial != 1 {
		t.Fatalf("the first certificate is %d", serial)
	}
	reader := bufio.NewReader(open)
	body := `{"title":"Under way"}`
	s.write(open, fmt.Sprintf("POST /api/20151105/problems HTTP/1.1\r\nHost: x\r\nAuthorization: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", token, len(body)))
	if line, err := reader.ReadString('\n'); err != nil || !strings.HasPrefix(line, "HTTP/1.1 100") {
		t.Fatalf("instead of 100 Continue came %q, %v", line, err)
	}
	if _, err := reader.ReadString('\n'); err != nil {
		t.Fatal(err)
	}

	f.renew(t, 2)
	shown(1) // nobody has told the server
	s.hangUp("a file was read again")
	shown(2)
	s.write(open, body)
	for request, want := range []int{http.StatusCreated, http.StatusOK} {
		if request == 1 {
			s.write(open, "GET /api/20151105/problems/1 HTTP/1.1\r\nHost: x\r\nAuthorization: "+token+"\r\n\r\n")
		}
		response, err := http.ReadResponse(reader, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, response.Body); err != nil || response.StatusCode != want {
			t.Errorf("request %d on the open connection: %s, %v", request, response.Status, err)
		}
	}

	// What cannot be used changes nothing.
	writeFile(t, f.key, "no key")
	s.hangUp("could not be read again")
	shown(2)
	other := certificateFiles{filepath.Join(dir, "other.pem"), f.key}
	other.renew(t, 3) // the key belongs to another certificate
	s.hangUp("could not be read again")
	shown(2)
	if err := os.Remove(f.cert); err != nil {
		t.Fatal(err)
	}
	s.hangUp("could not be read again")
	shown(2)
	f.renew(t, 4)
	s.hangUp("a file was read again")
	shown(4)
	for result, want := range map[string]float64{"ok": 2, "failed": 3} {
		if got := metric(t, metrics, "problems_files_reread_total", `file="certificate"`, `result="`+result+`"`); got != want {
			t.Errorf("%v readings ended with %s, not %v", got, result, want)
		}
	}
	if left := metric(t, metrics, "problems_tls_certificate_end_timestamp_seconds") - float64(time.Now().Unix()); left < 1 || left > 3600 {
		t.Errorf("the certificate is valid for another %v s", left)
	}
}

// TestChangedCertificateIsNoticed renews the certificate without a signal. The key
// follows its certificate, and a file without sense changes nothing.
func TestChangedCertificateIsNoticed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := certificateFiles{filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")}
	f.renew(t, 1)
	s := serve(t, "memory:", "PROBLEMS_TLS_CERT="+f.cert, "PROBLEMS_TLS_KEY="+f.key, "PROBLEMS_REREAD_INTERVAL=20ms")
	shown := func() int64 {
		t.Helper()
		connection, err := tls.Dial("tcp", strings.TrimPrefix(s.url, "https://"), &tls.Config{InsecureSkipVerify: true}) // the serial number tells it
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = connection.Close() }()
		return connection.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
	}
	logged := func(text string, times int) {
		t.Helper()
		await(t, func() bool { return strings.Count(s.stderr.String(), text) == times }, func() string {
			return fmt.Sprintf("the log does not have %q %d times\n%s", text, times, s.stderr.end())
		})
	}
	f.renew(t, 2)
	await(t, func() bool { return shown() == 2 }, func() string { return "the second certificate is not shown\n" + s.stderr.end() })
	failures := strings.Count(s.stderr.String(), "could not be read again") // of the moment between both files
	writeFile(t, f.key, "no key")
	logged("could not be read again", failures+1)
	if serial := shown(); serial != 2 {
		t.Errorf("with an unusable key the certificate %d is shown, not the second one", serial)
	}
	f.renew(t, 3)
	await(t, func() bool { return shown() == 3 }, func() string { return "the third certificate is not shown\n" + s.stderr.end() })
}

// TestPasswordIsReread changes the file of the database's password under a running
// server.
func TestPasswordIsReread(t *testing.T) {
	t.Parallel()
	proxy := postgrestest.NewProxy(t, postgrestest.Schema(t))
	u, err := url.Parse(proxy.URL())
	if err != nil {
		t.Fatal(err)
	}
	password, _ := u.User.Password()
	u.User = url.User(u.User.Username())
	file := filepath.Join(t.TempDir(), "password")
	writeFile(t, file, password+"\n")
	token := newToken(t)
	s := serve(t, u.String(), "PROBLEMS_BOOTSTRAP_TOKEN="+token, "PROBLEMS_STORE_PASSWORD_FILE="+file, "PROBLEMS_REREAD_INTERVAL=0")
	c := s.as(token)
	ready := func(want int) {
		t.Helper()
		code := 0
		await(t, func() bool { code, _ = ask(t, c, http.MethodGet, s.url+"/readyz", ""); return code == want }, func() string {
			return fmt.Sprintf("/readyz is %d, not %d\n%s", code, want, s.stderr.end())
		})
	}
	ready(http.StatusOK)
	writeFile(t, file, "wrong\n")
	s.hangUp("a file was read again")
	proxy.CutNow()
	ready(http.StatusServiceUnavailable)
	writeFile(t, file, "")
	s.hangUp("could not be read again")
	writeFile(t, file, password+"\n")
	s.hangUp("a file was read again")
	ready(http.StatusOK)
	if log := s.stderr.String(); password != "" && strings.Contains(log, password) {
		t.Error("the password is in the log")
	}
}
