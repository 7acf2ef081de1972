package s3

import (
	"context"
	"crypto/x509"
	"io"
	"net"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/problemtracking/problems/adapters/s3/s3test"
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

// The bucket can be in the host, as Amazon has it.
func TestHostStyle(t *testing.T) {
	t.Parallel()
	o := serve(t)
	server := o.Endpoint.Host
	o.Endpoint, o.Style = &url.URL{Scheme: "https", Host: s3test.Domain}, "host"
	var asked atomic.Value
	o.dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		asked.Store(address)
		return new(net.Dialer).DialContext(ctx, network, server)
	}
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	key := blob.Key{Problem: problem.ID(1), Attachment: ident.ID{1}}
	if err := s.Put(t.Context(), key, strings.NewReader("The lamp")); err != nil {
		t.Fatal(err)
	}
	r, err := s.Open(t.Context(), key, 4, -1)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if text, err := io.ReadAll(r); err != nil || string(text) != "lamp" || asked.Load() != s3test.Bucket+"."+s3test.Domain+":443" {
		t.Errorf("%v has %q, %v", asked.Load(), text, err)
	}
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

// serve starts a server.
func serve(t *testing.T) Options {
	t.Helper()
	server := s3test.Serve(t)
	return Options{
		Bucket: s3test.Bucket, Endpoint: &url.URL{Scheme: "https", Host: server.Address}, Region: "us-east-1", Style: "path",
		CA: server.CA, Credentials: credentials.NewStaticV4(s3test.Access, s3test.Secret, ""), Now: time.Now,
	}
}
