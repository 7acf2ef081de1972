package s3

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"iter"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/problemtracking/problems/domain/blob"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
)

// Options say where the files are. Bucket, Endpoint and Now are required.
type Options struct {
	Bucket string // has to be there
	// Prefix is before the keys of all files, without a slash at its end. Each store of
	// files has its own.
	Prefix string
	// Endpoint is the server, such as https://s3.eu-central-1.amazonaws.com.
	Endpoint *url.URL
	Region   string // empty: the server is asked
	// Style is "path" for a bucket in the path, and "host" for one in the host. Empty: by the
	// endpoint.
	Style string
	// CA has the authorities for the certificate of the server; nil: those of the system.
	CA *x509.CertPool
	// Credentials sign the requests; nil: they are anonymous.
	Credentials *credentials.Credentials
	// Now is the clock, for pauses, and for the age of uploads that a crash has ended.
	Now func() time.Time

	dial func(ctx context.Context, network, address string) (net.Conn, error) // for tests; nil: as usual
}

// Store is a blob.Store in a bucket. The objects have these keys, behind the prefix:
//
//	OWNER                   the name of the owner
//	{problem}/{attachment}
//
// It needs a server with conditional writes (If-None-Match) and strong consistency.
type Store struct {
	core   minio.Core
	client *minio.Client
	bucket string
	prefix string
	now    func() time.Time
	idle   func() // closes idle connections
}

var _ blob.Store = (*Store)(nil)

const (
	// ownerObject has the name of the owner.
	ownerObject = "OWNER"
	// answerFor is how long the server may take to begin its answer.
	answerFor = 20 * time.Second
)

// Open returns the store. It asks the server for nothing.
func Open(o Options) (*Store, error) {
	secure := o.Endpoint.Scheme == "https"
	transport, err := minio.DefaultTransport(secure)
	if err != nil {
		return nil, fault.Wrap(fault.Internal, err, "the client of S3 cannot be made")
	}
	transport.ResponseHeaderTimeout = answerFor
	if o.CA != nil {
		transport.TLSClientConfig = &tls.Config{RootCAs: o.CA}
	}
	transport.IdleConnTimeout = pause / 2 // before its pause ends it, perhaps when a request begins
	dial := transport.DialContext
	if o.dial != nil {
		dial = o.dial
	}
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return conn{c, o.Now}, nil
	}
	lookup := map[string]minio.BucketLookupType{"path": minio.BucketLookupPath, "host": minio.BucketLookupDNS}[o.Style]
	client, err := minio.New(o.Endpoint.Host, &minio.Options{
		Creds: o.Credentials, Secure: secure, Transport: transport, Region: o.Region, BucketLookup: lookup,
		MaxRetries: 1, // a second write under a key would be refused; clients repeat requests
	})
	if err != nil {
		return nil, fault.Wrap(fault.Internal, err, "the client of S3 cannot be made")
	}
	s := &Store{core: minio.Core{Client: client}, client: client, bucket: o.Bucket, now: o.Now, idle: transport.CloseIdleConnections}
	if o.Prefix != "" {
		s.prefix = o.Prefix + "/"
	}
	return s, nil
}

// Open implements blob.Store.
func (s *Store) Open(ctx context.Context, key blob.Key, from, n int64) (io.ReadCloser, error) {
	info, err := s.client.StatObject(ctx, s.bucket, s.prefix+key.String(), minio.StatObjectOptions{})
	if err = failure(ctx, err, key); fault.Is(err, fault.AttachmentNotFound) { // or there is no bucket: HEAD does not say
		if there, bucketErr := s.client.BucketExists(ctx, s.bucket); bucketErr != nil || !there {
			err = fault.Wrap(fault.Unavailable, bucketErr, "the bucket of the files is not there")
		}
	}
	if err != nil {
		return nil, err
	}
	from = min(max(from, 0), info.Size)
	left := info.Size - from
	if n >= 0 {
		left = min(left, n)
	}
	if left == 0 {
		return io.NopCloser(strings.NewReader("")), nil
	}
	var part minio.GetObjectOptions
	if err := part.SetRange(from, from+left-1); err != nil {
		return nil, fault.Wrap(fault.Internal, err, "a range of a file is wrong")
	}
	body, _, _, err := s.core.GetObject(ctx, s.bucket, s.prefix+key.String(), part)
	if err != nil {
		return nil, failure(ctx, err, key)
	}
	return &reading{body, ctx}, nil
}

// reading is a part of a file.
type reading struct {
	io.ReadCloser
	ctx context.Context
}

func (r *reading) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		err = failure(r.ctx, err, blob.Key{})
	}
	return n, err
}

// Delete implements blob.Store.
func (s *Store) Delete(ctx context.Context, key blob.Key) error {
	err := failure(ctx, s.client.RemoveObject(ctx, s.bucket, s.prefix+key.String(), minio.RemoveObjectOptions{}), key)
	if fault.Is(err, fault.AttachmentNotFound) {
		return nil
	}
	return err
}

// List implements blob.Store.
func (s *Store) List(ctx context.Context, after blob.Key) iter.Seq2[blob.Info, error] {
	return func(yield func(blob.Info, error) bool) {
		options := minio.ListObjectsOptions{Prefix: s.prefix, Recursive: true}
		if after != (blob.Key{}) {
			options.StartAfter = s.prefix + after.String()
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		for object := range s.client.ListObjectsIter(ctx, s.bucket, options) {
			if object.Err != nil {
				yield(blob.Info{}, failure(ctx, object.Err, blob.Key{}))
				return
			}
			key, ok := blob.ParseKey(strings.TrimPrefix(object.Key, s.prefix))
			if ok && !yield(blob.Info{Key: key, Size: object.Size, Stored: object.LastModified}, nil) {
				return
			}
		}
		if err := ctx.Err(); err != nil {
			yield(blob.Info{}, failure(ctx, err, blob.Key{}))
		}
	}
}

// Owner implements blob.Store.
func (s *Store) Owner(ctx context.Context) (ident.ID, error) {
	body, _, _, err := s.core.GetObject(ctx, s.bucket, s.prefix+ownerObject, minio.GetObjectOptions{})
	if err != nil {
		if err = failure(ctx, err, blob.Key{}); fault.Is(err, fault.AttachmentNotFound) {
			err = nil
		}
		return ident.None, err
	}
	defer body.Close()
	text, err := io.ReadAll(io.LimitReader(body, 100))
	if err != nil {
		return ident.None, failure(ctx, err, blob.Key{})
	}
	owner, err := ident.Parse(strings.TrimSpace(string(text)))
	if err != nil {
		return ident.None, fault.Wrap(fault.Internal, err, "the object %s of the bucket does not name an owner", ownerObject)
	}
	return owner, nil
}

// Own implements blob.Store. A sweep calls it, so it also ends uploads that a crash has left.
func (s *Store) Own(ctx context.Context, owner ident.ID) error {
	text := owner.String() + "\n"
	_, err := s.core.PutObject(ctx, s.bucket, s.prefix+ownerObject, strings.NewReader(text), int64(len(text)), "", "", minio.PutObjectOptions{ContentType: "text/plain"})
	if err != nil {
		return failure(ctx, err, blob.Key{})
	}
	return s.abortAbandoned(ctx)
}

// Close implements blob.Store.
func (s *Store) Close() error {
	s.idle()
	return nil
}

// failure returns an error of the client as a fault about the file.
func failure(ctx context.Context, err error, key blob.Key) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return fault.Wrap(fault.Unavailable, errors.Join(ctx.Err(), err), "the request ended; nothing was stored")
	}
	switch answer := minio.ToErrorResponse(err); {
	case answer.Code == minio.NoSuchKey:
		return fault.Wrap(fault.AttachmentNotFound, err, "there is no file %s", key)
	case answer.Code == minio.PreconditionFailed, answer.StatusCode == http.StatusConflict:
		return fault.Wrap(fault.Conflict, err, "there is a file %s already", key)
	case answer.StatusCode == http.StatusInsufficientStorage, answer.Code == "QuotaExceeded":
		return fault.Wrap(fault.StorageFull, err, "the storage for files is full; nothing was stored")
	case answer.StatusCode == http.StatusForbidden:
		return fault.Wrap(fault.Unavailable, err, "the storage for files refuses the service")
	}
	return fault.Wrap(fault.Unavailable, err, "the storage for files is away; nothing was stored")
}
