package postgres

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest/certificates"
)

// pairIn writes a new certificate and its key to a directory.
func pairIn(t *testing.T, dir string) {
	t.Helper()
	authority := x509.Certificate{IsCA: true, BasicConstraintsValid: true}
	if _, err := certificates.Write(filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"), authority); err != nil {
		t.Fatal(err)
	}
}

// TestCertificatesChange changes the files of the URL while a store is open. New connections
// to each host have the new certificates. A file that cannot be read changes nothing.
func TestCertificatesChange(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pairIn(t, dir)
	cert := filepath.Join(dir, "cert.pem")
	o, err := Options{URL: "postgres://ann:hunter2@one,two/x?sslmode=verify-full&sslrootcert=" + cert + "&sslcert=" + cert + "&sslkey=" + filepath.Join(dir, "key.pem")}.complete()
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	o.Logger = slog.New(slog.NewTextHandler(&log, nil))
	start, err := o.poolConfig()
	if err != nil {
		t.Fatal(err)
	}
	s := &Store{options: o, hosts: hostsOf(start.ConnConfig)}
	// connects returns the hosts of a new connection. All have the certificates in the file.
	connects := func(want []byte) (names []string) {
		t.Helper()
		block, _ := pem.Decode(want)
		roots := x509.NewCertPool()
		roots.AppendCertsFromPEM(want)
		config := start.ConnConfig.Copy()
		if err := s.connecting(t.Context(), config); err != nil {
			t.Fatal(err)
		}
		for _, h := range hostsOf(config) {
			names = append(names, h.name)
			if h.tls == nil || h.tls.ServerName != h.name || !h.tls.RootCAs.Equal(roots) || len(h.tls.Certificates) != 1 || !bytes.Equal(h.tls.Certificates[0].Certificate[0], block.Bytes) {
				t.Errorf("a new connection to %s has other certificates than the files", h.name)
			}
		}
		return names
	}
	read := func() []byte {
		text, err := os.ReadFile(cert)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	first := read()
	if got := strings.Join(connects(first), ","); got != "one,two" {
		t.Errorf("the hosts are %s", got)
	}
	pairIn(t, dir)
	connects(read())
	s.primary.Store(&host{name: "two", port: 5432})
	if got := strings.Join(connects(read()), ","); got != "two,one" {
		t.Errorf("with a known primary, the hosts are %s", got)
	}
	if log.Len() > 0 {
		t.Errorf("the log has\n%s", log.String())
	}
	if err := os.WriteFile(cert, []byte("half of a"), 0o600); err != nil {
		t.Fatal(err)
	}
	connects(first)
	if !strings.Contains(log.String(), "cannot be read again") || strings.Contains(log.String(), "hunter2") {
		t.Errorf("the log has\n%s", log.String())
	}
}
