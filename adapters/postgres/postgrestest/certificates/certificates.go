// Package certificates makes certificates for the tests of TLS.
package certificates

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"math/big"
	"os"
	"time"
)

// Write writes a certificate with a new key to two files, and returns the certificate. It has
// signed itself, so it is also the authority to trust. It has the names and the use of the
// template. Without a serial number in the template, it has number 1. Without times there, it
// is valid from an hour ago, for two hours.
//
// Write replaces each file in one step, so a server that reads it meanwhile gets all of it.
func Write(certFile, keyFile string, template x509.Certificate) (*x509.Certificate, error) {
	if template.SerialNumber == nil {
		template.SerialNumber = big.NewInt(1)
	}
	if template.NotBefore.IsZero() {
		template.NotBefore = time.Now().Add(-time.Hour)
	}
	if template.NotAfter.IsZero() {
		template.NotAfter = time.Now().Add(time.Hour)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	signed, err := x509.CreateCertificate(rand.Reader, &template, &template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(replace(certFile, "CERTIFICATE", signed), replace(keyFile, "PRIVATE KEY", private)); err != nil {
		return nil, err
	}
	return x509.ParseCertificate(signed)
}

// replace replaces a file in one step.
func replace(name, kind string, content []byte) error {
	text := pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: content})
	if err := os.WriteFile(name+".new", text, 0o600); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}
