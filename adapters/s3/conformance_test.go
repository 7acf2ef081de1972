package s3

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/problemtracking/problems/conformance"
	"github.com/problemtracking/problems/domain/blob"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
)

// TestStore holds the store against the contract, on the server of tools/versitygw, by TLS with
// an authority of its own.
func TestStore(t *testing.T) {
	t.Parallel()
	server := serve(t)
	conformance.Blobs(t, func(t conformance.T, dir string) blob.Store {
		o := server
		o.Prefix = "trackers/" + strings.ReplaceAll(filepath.ToSlash(dir), "/", "-")
		s, err := Open(o)
		if err != nil {
			t.Fatalf("open: %v", err)
		}
		return s
	})
}

// A server that is away, or silent, is Unavailable; a bucket that is not there, too.
func TestAway(t *testing.T) {
	t.Parallel()
	server := serve(t)
	key := blob.Key{Problem: problem.ID(1), Attachment: ident.ID{1}}
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { silent.Close() })
	for name, change := range map[string]func(*Options){
		"away":          func(o *Options) { o.Endpoint = &url.URL{Scheme: "http", Host: "127.0.0.1:1"} },
		"silent":        func(o *Options) { o.Endpoint = &url.URL{Scheme: "http", Host: silent.Addr().String()} },
		"no bucket":     func(o *Options) { o.Bucket = "no-bucket" },
		"another CA":    func(o *Options) { o.CA = x509.NewCertPool() },
		"another user":  func(o *Options) { o.Credentials = credentials.NewStaticV4("access", "other", "") },
		"no credential": func(o *Options) { o.Credentials = nil },
	} {
		o := server
		change(&o)
		s, err := Open(o)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		_, ownerErr := s.Owner(ctx)
		_, openErr := s.Open(ctx, key, 0, -1)
		for call, err := range map[string]error{"Put": s.Put(ctx, key, strings.NewReader("x")), "Owner": ownerErr, "Open": openErr, "Delete": s.Delete(ctx, key)} {
			if !fault.Is(err, fault.Unavailable) {
				t.Errorf("%s: %s: %v", name, call, err)
			}
		}
	}
}

// A crash leaves the parts of an upload; Own removes them a day later.
func TestAbandonedUploads(t *testing.T) {
	t.Parallel()
	o := serve(t)
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.core.NewMultipartUpload(t.Context(), s.bucket, "1/x", minio.PutObjectOptions{}); err != nil {
		t.Fatal(err)
	}
	left := func() (n int) {
		for range s.client.ListIncompleteUploads(t.Context(), s.bucket, "", true) {
			n++
		}
		return n
	}
	for days, want := range []int{1, 1, 0} {
		s.now = func() time.Time { return time.Now().Add(time.Duration(days)*24*time.Hour - time.Hour) }
		if err := s.Own(t.Context(), ident.ID{1}); err != nil || left() != want {
			t.Errorf("after %d days, %d uploads are left, %v; want %d", days, left(), err, want)
		}
	}
}

// build makes the program of the server, once: the first time takes minutes.
var build = sync.OnceValues(func() (program string, err error) {
	tools, err := filepath.Abs(filepath.Join("..", "..", "tools", "versitygw"))
	if err != nil {
		return "", err
	}
	program = filepath.Join(tools, "..", "..", "bin", "tools", "versitygw")
	command := exec.Command("go", "build", "-o", program, ".")
	command.Dir, command.Env = tools, append(os.Environ(), "GOWORK=off")
	if out, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return program, nil
})

// serve starts a server with the bucket "files".
func serve(t *testing.T) Options {
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
	l.Close()
	if err := os.MkdirAll(filepath.Join(dir, "data", "buckets", "files"), 0o700); err != nil {
		t.Fatal(err)
	}
	server := exec.Command(program, filepath.Join(dir, "data"), address, cert, key)
	var out strings.Builder
	server.Stdout, server.Stderr = &out, &out
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Wait() }()
	t.Cleanup(func() {
		_ = server.Process.Kill()
		<-ended
	})
	for {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			break
		}
		select {
		case err := <-ended:
			t.Fatalf("the server has ended: %v\n%s", err, out.String())
		case <-time.After(20 * time.Millisecond):
		}
	}
	return Options{
		Bucket: "files", Endpoint: &url.URL{Scheme: "https", Host: address}, Region: "us-east-1", Style: "path",
		CA: pool, Credentials: credentials.NewStaticV4("access", "secret", ""), Now: time.Now,
	}
}

// authority makes a certificate for 127.0.0.1.
func authority(t *testing.T, dir string) (cert, key string, pool *x509.CertPool) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
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
