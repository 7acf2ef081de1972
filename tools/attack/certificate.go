package main

import (
	"crypto/x509"
	"net"
	"path/filepath"
	"time"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest/certificates"
)

// writeCertificate writes a certificate for this machine and its key to a folder, and
// returns the settings for them.
func writeCertificate(folder string) ([]string, error) {
	cert, key := filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")
	template := x509.Certificate{IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotAfter: time.Now().Add(24 * time.Hour)}
	_, err := certificates.Write(cert, key, template)
	return []string{"PROBLEMS_TLS_CERT=" + cert, "PROBLEMS_TLS_KEY=" + key}, err
}
