package httpapi

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/problem"
)

// BenchmarkEncodeTen encodes a problem with 10 log entries into a buffer that is lent,
// as the answer to its load is.
func BenchmarkEncodeTen(b *testing.B) {
	catalogue, snapshot := sampleCatalogue(), sampleSnapshot()
	for n := len(snapshot.Log); n < 10; n++ {
		snapshot.Log = append(snapshot.Log, problem.LogEntry{
			ID: sampleID(100 + n), Problem: snapshot.ID, Type: problem.FieldChanged, Created: sampleTime.Add(time.Duration(n) * time.Hour),
			Author: sampleAnn.ID, Batch: sampleID(200 + n), Revision: int64(n), Field: "state",
			From: problem.LogRef(sampleOpen.ID, sampleOpen.Name), To: problem.LogRef(sampleProgress.ID, sampleProgress.Name),
		})
	}
	e := encoder{catalogue: catalogue}
	e.problem(snapshot)
	var read struct {
		Logs []struct{ Type, Field string }
	}
	if err := json.Unmarshal(e.buf, &read); err != nil || len(read.Logs) != 10 || read.Logs[9].Field != "state" {
		b.Fatalf("%v: %s", err, e.buf)
	}
	length := len(e.buf)
	b.SetBytes(int64(length))
	b.ReportAllocs()
	for b.Loop() {
		e = encoder{buf: e.buf[:0], catalogue: catalogue}
		e.problem(snapshot)
		if len(e.buf) != length {
			b.Fatalf("%d bytes, and %d before", len(e.buf), length)
		}
	}
}
