package wire

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/domain/problem"
)

// BenchmarkEncodeTen encodes a problem with 10 log entries into a pooled buffer,
// as the answer to its load is.
func BenchmarkEncodeTen(b *testing.B) {
	catalogue, snapshot := samples.Catalogue(), samples.Snapshot()
	for n := len(snapshot.Log); n < 10; n++ {
		snapshot.Log = append(snapshot.Log, problem.LogEntry{
			ID: samples.Identifier(100 + n), Problem: snapshot.ID, Type: problem.FieldChanged, Created: samples.Time.Add(time.Duration(n) * time.Hour),
			Author: samples.Ann.ID, Batch: samples.Identifier(200 + n), Revision: int64(n), Field: "state",
			From: problem.LogRef(samples.Open.ID, samples.Open.Name), To: problem.LogRef(samples.Progress.ID, samples.Progress.Name),
		})
	}
	e := Encoder{Catalogue: catalogue}
	e.Problem(snapshot)
	var read struct {
		Logs []struct{ Type, Field string }
	}
	if err := json.Unmarshal(e.Buf, &read); err != nil || len(read.Logs) != 10 || read.Logs[9].Field != "state" {
		b.Fatalf("%v: %s", err, e.Buf)
	}
	length := len(e.Buf)
	b.SetBytes(int64(length))
	b.ReportAllocs()
	for b.Loop() {
		e = Encoder{Buf: e.Buf[:0], Catalogue: catalogue}
		e.Problem(snapshot)
		if len(e.Buf) != length {
			b.Fatalf("%d bytes, and %d before", len(e.Buf), length)
		}
	}
}
