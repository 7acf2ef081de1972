package s3

import (
	"bytes"
	"context"
	"io"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/problemtracking/problems/domain/blob"
	"github.com/problemtracking/problems/domain/budget"
	"github.com/problemtracking/problems/domain/fault"
)

const (
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
	first := &part{account: budget.From(ctx)}
	defer first.release()
	switch ended := first.fill(ctx, r); ended {
	case io.EOF:
		_, err := s.core.PutObject(ctx, s.bucket, name, bytes.NewReader(first.buf), int64(len(first.buf)), "", "", once())
		return failure(ctx, err, key)
	case nil:
		return s.putParts(ctx, key, name, first, r)
	default:
		return ended
	}
}

// putParts stores a file whose first part was read. The others have its memory.
func (s *Store) putParts(ctx context.Context, key blob.Key, name string, part *part, r io.Reader) (err error) {
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
	for ; len(part.buf) > 0; ended = part.fill(ctx, r) {
		if ended != nil && ended != io.EOF {
			return ended
		}
		stored, err := s.core.PutObjectPart(ctx, s.bucket, name, upload, len(parts)+1, bytes.NewReader(part.buf), int64(len(part.buf)), minio.PutObjectPartOptions{})
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
