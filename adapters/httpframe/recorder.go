package httpframe

import (
	"net/http"
	"sync"
	"time"
)

const (
	// PieceSize is the usual size of a piece of an answer, in bytes: so much is written at once.
	PieceSize = 64 << 10
	// PieceTime is the usual time for a client to take a piece: see piece.
	PieceTime = 10 * time.Second
	// MostStreams is the most answers at once on a connection of HTTP/2. They share its speed:
	// at 200 kbit/s, each of them gets a piece of sharedSize in 168 s, within sharedTime.
	MostStreams = 250

	sharedSize = 16 << 10
	sharedTime = 3 * time.Minute
)

// piece returns the most of an answer that is written at once, in bytes. It also returns the
// time for the client to take a piece, once the time of the whole answer is over. A slower
// client is cut.
func piece(r *http.Request) (size int, within time.Duration) {
	if r.ProtoMajor == 2 {
		return sharedSize, sharedTime
	}
	return PieceSize, PieceTime
}

// recorder notes the status and the length of an answer. It gives slow clients the time for
// long answers.
type recorder struct {
	http.ResponseWriter
	status int // 0: nothing sent yet
	bytes  int64
	now    func() time.Time
	// pieceSize and pieceTime are those of piece.
	pieceSize int
	pieceTime time.Duration

	mu       sync.Mutex
	deadline time.Time // of the answer; zero: none
}

// limit returns the deadline of an answer that began now, as its server has it.
func limit(r *http.Request, now time.Time) time.Time {
	if server, ok := r.Context().Value(http.ServerContextKey).(*http.Server); ok && server.WriteTimeout > 0 {
		return now.Add(server.WriteTimeout)
	}
	return time.Time{}
}

func (r *recorder) WriteHeader(status int) {
	if r.status == 0 && status >= 200 {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(b []byte) (n int, err error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	for {
		r.extend()
		written, err := r.ResponseWriter.Write(b[n:min(n+r.pieceSize, len(b))])
		r.bytes += int64(written)
		if n += written; err != nil || n == len(b) {
			return n, err
		}
	}
}

// extend gives the next piece its time: a client that takes every piece gets the whole answer.
func (r *recorder) extend() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.deadline.IsZero() {
		return
	}
	if deadline := r.now().Add(r.pieceTime); deadline.After(r.deadline) {
		r.deadline = deadline
		_ = http.NewResponseController(r.ResponseWriter).SetWriteDeadline(deadline)
	}
}

// SetWriteDeadline is for http.ResponseController. It may be called beside Write.
func (r *recorder) SetWriteDeadline(at time.Time) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.deadline = at
	return http.NewResponseController(r.ResponseWriter).SetWriteDeadline(at)
}

// Unwrap gives http.ResponseController the way to the connection.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
