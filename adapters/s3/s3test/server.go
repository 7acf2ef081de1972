// Package s3test starts an S3 server for tests: VersityGW, by tools/versitygw.
package s3test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// Bucket is the one bucket, Access and Secret are the only user, and Domain is the name behind
// the names of buckets in hosts.
const (
	Bucket = "files"
	Access = "access"
	Secret = "secret"
	Domain = "s3.test"
)

// Server is a running server, by TLS with an authority of its own.
type Server struct {
	Address string // host and port
	CAFile  string
	CA      *x509.CertPool
}

// Serve starts a server until the test ends.
func Serve(t testing.TB) Server {
	t.Helper()
	dir := t.TempDir()
	program, err := build()
	if err != nil {
		t.Fatalf("the server does not build: %v", err)
	}
	cert, key, pool := authority(t, dir)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close()
	if err := os.MkdirAll(filepath.Join(dir, "data", "buckets", Bucket), 0o700); err != nil {
		t.Fatal(err)
	}
	server := exec.Command(program, filepath.Join(dir, "data"), address, cert, key, Domain)
	var out strings.Builder
	server.Stdout, server.Stderr = &out, &out
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	var failure error // of the server, once it has ended
	ended := make(chan struct{})
	go func() { failure = server.Wait(); close(ended) }()
	t.Cleanup(func() {
		_ = server.Process.Kill()
		<-ended
	})
	for {
		if c, err := net.Dial("tcp", address); err == nil {
			_ = c.Close()
			return Server{address, cert, pool}
		}
		select {
		case <-ended:
			t.Fatalf("the server has ended: %v\n%s", failure, out.String())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// build makes the program of the server, once: the first time takes minutes.
var build = sync.OnceValues(func() (program string, err error) {
	root, err := filepath.Abs(".")
	for err == nil && root != "/" {
		if _, err := os.Stat(filepath.Join(root, "tools", "versitygw")); err == nil {
			break
		}
		root = filepath.Dir(root)
	}
	if err != nil {
		return "", err
	}
	tools := filepath.Join(root, "tools", "versitygw")
	program = filepath.Join(root, "bin", "tools", "versitygw")
	command := exec.Command("go", "build", "-o", program, ".")
	command.Dir, command.Env = tools, append(os.Environ(), "GOWORK=off")
	if out, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return program, nil
})

// authority makes a certificate for 127.0.0.1, and for the hosts of buckets.
func authority(t testing.TB, dir string) (cert, key string, pool *x509.CertPool) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"*." + Domain}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pool = x509.NewCertPool()
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool.AddCert(parsed)
	return cert, key, pool
}
