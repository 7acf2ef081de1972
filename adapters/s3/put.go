package s3

import (
	"bytes"
	"context"
	"io"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/problemtracking/problems/domain/blob"
	"github.com/problemtracking/problems/domain/fault"
)

const (
	// partSize is the size of a part, and the memory of an upload. S3 takes 10,000 parts of
	// at least 5 MiB.
	partSize = 5 << 20
	// abandoned is the age of an upload that nobody completes any more.
	abandoned = 24 * time.Hour
	// abortFor limits the end of an upload that has failed.
	abortFor = 10 * time.Second
)

// once has a write refused if the key is taken.
func once() (o minio.PutObjectOptions) {
	o.SetMatchETagExcept("*")
	return o
}

// Put implements blob.Store. A file of one part is one request. The parts of a longer one become
// a file with the last request.
func (s *Store) Put(ctx context.Context, key blob.Key, r io.Reader) error {
	name := s.prefix + key.String()
	_, err := s.client.StatObject(ctx, s.bucket, name, minio.StatObjectOptions{})
	switch err := failure(ctx, err, key); {
	case err == nil:
		return fault.New(fault.Conflict, "there is a file %s already", key)
	case !fault.Is(err, fault.AttachmentNotFound):
		return err
	}
	part := make([]byte, partSize)
	n, ended := fill(ctx, r, part)
	switch ended {
	case io.EOF:
		_, err := s.core.PutObject(ctx, s.bucket, name, bytes.NewReader(part[:n]), int64(n), "", "", once())
		return failure(ctx, err, key)
	case nil:
		return s.putParts(ctx, key, name, part, r)
	}
	return ended
}

// putParts stores a file whose first part was read.
func (s *Store) putParts(ctx context.Context, key blob.Key, name string, part []byte, r io.Reader) (err error) {
	upload, err := s.core.NewMultipartUpload(ctx, s.bucket, name, minio.PutObjectOptions{})
	if err != nil {
		return failure(ctx, err, key)
	}
	defer func() {
		if err != nil {
			limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), abortFor)
			defer cancel()
			_ = s.core.AbortMultipartUpload(limited, s.bucket, name, upload) // abortAbandoned tries again
		}
	}()
	var parts []minio.CompletePart
	var ended error
	for n := len(part); n > 0; n, ended = fill(ctx, r, part) {
		if ended != nil && ended != io.EOF {
			return ended
		}
		stored, err := s.core.PutObjectPart(ctx, s.bucket, name, upload, len(parts)+1, bytes.NewReader(part[:n]), int64(n), minio.PutObjectPartOptions{})
		if err != nil {
			return failure(ctx, err, key)
		}
		parts = append(parts, minio.CompletePart{PartNumber: stored.PartNumber, ETag: stored.ETag, ChecksumCRC32C: stored.ChecksumCRC32C})
		if ended == io.EOF {
			break
		}
	}
	if ended != nil && ended != io.EOF {
		return ended
	}
	_, err = s.core.CompleteMultipartUpload(ctx, s.bucket, name, upload, parts, once())
	return failure(ctx, err, key)
}

// fill reads until the buffer is full, or r or ctx has ended.
func fill(ctx context.Context, r io.Reader, buf []byte) (n int, err error) {
	for n < len(buf) && err == nil {
		if ctx.Err() != nil {
			return n, failure(ctx, ctx.Err(), blob.Key{})
		}
		var m int
		m, err = r.Read(buf[n:])
		n += m
	}
	return n, err
}

// abortAbandoned ends the uploads that a crash has left.
func (s *Store) abortAbandoned(ctx context.Context) error {
	for upload := range s.client.ListIncompleteUploads(ctx, s.bucket, s.prefix, true) {
		if upload.Err != nil {
			return failure(ctx, upload.Err, blob.Key{})
		}
		if s.now().Sub(upload.Initiated) > abandoned {
			if err := s.core.AbortMultipartUpload(ctx, s.bucket, upload.Key, upload.UploadID); err != nil {
				return failure(ctx, err, blob.Key{})
			}
		}
	}
	return nil
}
