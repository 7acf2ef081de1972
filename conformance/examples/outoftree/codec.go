package boltstore

import (
	"math"

	"github.com/fxamacker/cbor/v2"

	"github.com/problemtracking/problems/domain/fault"
)

// The port wants every text back byte for byte, and every time to the nanosecond and in UTC.
// CBOR has room for both: JSON would replace invalid UTF-8. It names the members of a struct,
// so a later member of the domain reads as zero from older files. The domain sets the limits:
// those of the library are as high as they can be.
var (
	encoding = must(cbor.EncOptions{Time: cbor.TimeRFC3339NanoUTC}.EncMode())
	decoding = must(cbor.DecOptions{UTF8: cbor.UTF8DecodeInvalid, MaxArrayElements: math.MaxInt32}.DecMode())
)

func must[T any](mode T, err error) T {
	if err != nil {
		panic(err) // the options contradict each other
	}
	return mode
}

// encode returns the bytes of a value in the file.
func encode(value any) ([]byte, error) {
	data, err := encoding.Marshal(value)
	if err != nil {
		return nil, fault.Wrap(fault.Internal, err, "a value cannot be encoded")
	}
	return data, nil
}

// decode reads a value made by encode. It shares no memory with data, because bbolt takes
// the memory back at the end of the transaction.
func decode[T any](data []byte) (value T, err error) {
	if err := decoding.Unmarshal(data, &value); err != nil {
		return value, fault.Wrap(fault.Internal, err, "the file of the store is damaged: %T cannot be read", value)
	}
	return value, nil
}
