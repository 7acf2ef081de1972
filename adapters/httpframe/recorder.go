package httpframe

import (
	"net/http"
	"time"
)

const (
	// PieceSize is the most of an answer that is written at once, in bytes.
	PieceSize = 64 << 10
	// PieceTime is the time for a client to take a piece. A slower client is cut.
	PieceTime = 10 * time.Second
)

// recorder notes the status and the length of an answer.
type recorder struct {
	http.ResponseWriter
	status int // 0: nothing sent yet
	bytes  int64
}

func (r *recorder) WriteHeader(status int) {
	if r.status == 0 && status >= 200 {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(b []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	n, err := r.ResponseWriter.Write(b)
	r.bytes += int64(n)
	return n, err
}

// Unwrap gives http.ResponseController the way to the connection.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
