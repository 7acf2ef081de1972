// Package s3 keeps the bytes of attachments (D48) in a bucket of S3, or of a server with its
// protocol. It uses the library of MinIO.
package s3
