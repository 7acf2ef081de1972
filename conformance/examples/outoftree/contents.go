package boltstore

import (
	"bytes"
	"encoding/binary"
	"iter"
	"slices"
	"time"

	"go.etcd.io/bbolt"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
)

// contents is the content of the file within one transaction: a reading one for a View,
// the writing one for a Commit. Reads show earlier writes of the same transaction.
type contents struct{ tx *bbolt.Tx }

// in returns a bucket. Open has made all of them.
func (c contents) in(bucket string) *bbolt.Bucket { return c.tx.Bucket([]byte(bucket)) }

// has reports whether a bucket has the key.
func (c contents) has(bucket string, key []byte) bool { return c.in(bucket).Get(key) != nil }

// get returns the value under a key; ok is false when there is none.
func get[T any](c contents, bucket string, key []byte) (value T, ok bool, err error) {
	data := c.in(bucket).Get(key)
	if data == nil {
		return value, false, nil
	}
	value, err = decode[T](data)
	return value, err == nil, err
}

// list returns the values under all keys with the prefix, in the order of the keys.
func list[T any](c contents, bucket string, prefix []byte) (values []T, err error) {
	for _, data := range c.under(bucket, prefix) {
		value, err := decode[T](data)
		if err != nil {
			return nil, err
		}
		values = append(values, value)
	}
	return values, nil
}

// under returns all keys with the prefix, with their values, in order. They are bbolt's
// memory: callers must not keep them, and must not change the bucket meanwhile.
func (c contents) under(bucket string, prefix []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		cursor := c.in(bucket).Cursor()
		for key, value := cursor.Seek(prefix); key != nil && bytes.HasPrefix(key, prefix); key, value = cursor.Next() {
			if !yield(key, value) {
				return
			}
		}
	}
}

// empty reports whether nothing is in the bucket.
func (c contents) empty(bucket string) bool {
	key, _ := c.in(bucket).Cursor().First()
	return key == nil
}

// put stores a value, replacing the one under the same key.
func (c contents) put(bucket string, key []byte, value any) error {
	data, err := encode(value)
	if err != nil {
		return err
	}
	return failure(c.in(bucket).Put(key, data))
}

// add stores a value behind all others under keys with the prefix.
func (c contents) add(bucket string, prefix []byte, value any) error {
	position, err := c.in(bucket).NextSequence()
	if err != nil {
		return failure(err)
	}
	return c.put(bucket, slices.Concat(prefix, number(position)), value)
}

// mark stores a key alone.
func (c contents) mark(bucket string, key []byte) error {
	return failure(c.in(bucket).Put(key, []byte{}))
}

// drop removes a key and its value, if it is there.
func (c contents) drop(bucket string, key []byte) error {
	return failure(c.in(bucket).Delete(key))
}

// counter returns a version of the bucket counters, 0 at first.
func (c contents) counter(name string) (v ident.Version) {
	if data := c.in(counters).Get([]byte(name)); data != nil {
		v.Number = int64(binary.BigEndian.Uint64(data))
		copy(v.Batch[:], data[8:])
	}
	return v
}

// count sets a version of the bucket counters.
func (c contents) count(name string, v ident.Version) error {
	return failure(c.in(counters).Put([]byte(name), append(number(v.Number), v.Batch[:]...)))
}

// revision returns the size of a problem, and the batch of its last write.
func (c contents) revision(id problem.ID) (batch ident.ID, size int64) {
	if data := c.in(revisions).Get(number(id)); data != nil {
		size = int64(binary.BigEndian.Uint64(data[copy(batch[:], data):]))
	}
	return batch, size
}

// keep stores a value with an end: the bucket ages finds it by its time.
func (c contents) keep(bucket string, key []byte, at time.Time, value any) error {
	if err := c.put(bucket, key, value); err != nil {
		return err
	}
	return failure(c.in(ages).Put(ageKey(at, key), []byte(bucket)))
}

// forget removes all values of keep from before a time.
func (c contents) forget(before time.Time) error {
	end := timeKey(before)
	var old [][]byte // bbolt's cursors lose their way when keys are removed under them
	for age := range c.under(ages, nil) {
		if bytes.Compare(age, end) >= 0 {
			break
		}
		old = append(old, bytes.Clone(age))
	}
	for _, age := range old {
		bucket := string(c.in(ages).Get(age))
		if err := c.drop(bucket, age[timeSize:]); err != nil {
			return err
		}
		if err := c.drop(ages, age); err != nil {
			return err
		}
	}
	return nil
}
