package boltstore

import (
	"bytes"
	"encoding/gob"

	"github.com/problemtracking/problems/domain/fault"
)

// encode returns the bytes that stand for a value in the file.
//
// The port wants every text back byte for byte and every time in UTC, which gob
// does: JSON would replace what is not UTF-8. Since gob names the members of a
// struct, one that the domain gets later reads as zero from older files. The price
// is that each value carries the description of its type.
func encode(value any) ([]byte, error) {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(value); err != nil {
		return nil, fault.Wrap(fault.Internal, err, "a value cannot be encoded")
	}
	return b.Bytes(), nil
}

// decode reads a value that encode has made. It shares no memory with data, which
// bbolt takes back at the end of the transaction.
func decode[T any](data []byte) (value T, err error) {
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&value); err != nil {
		return value, fault.Wrap(fault.Internal, err, "the file of the store is damaged: %T cannot be read", value)
	}
	return value, nil
}
