package boltstore

import (
	"bytes"
	"encoding/gob"

	"github.com/problemtracking/problems/domain/fault"
)

// encode returns the bytes of a value in the file.
//
// The port wants every text back byte for byte and every time in UTC. gob does both: JSON
// would replace invalid UTF-8. gob names the members of a struct, so a later member of
// the domain reads as zero from older files. The price is a description of its type with
// each value.
func encode(value any) ([]byte, error) {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(value); err != nil {
		return nil, fault.Wrap(fault.Internal, err, "a value cannot be encoded")
	}
	return b.Bytes(), nil
}

// decode reads a value made by encode. It shares no memory with data, because bbolt takes
// the memory back at the end of the transaction.
func decode[T any](data []byte) (value T, err error) {
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&value); err != nil {
		return value, fault.Wrap(fault.Internal, err, "the file of the store is damaged: %T cannot be read", value)
	}
	return value, nil
}
