package httpframe

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// slowWriter is the writer of a client that takes a piece in each pace, and has a deadline.
type slowWriter struct {
	*httptest.ResponseRecorder
	pace     time.Duration
	deadline time.Time
}

func (w *slowWriter) Write(b []byte) (int, error) {
	if took := w.pace * time.Duration(len(b)) / PieceSize; w.deadline.IsZero() || took <= time.Until(w.deadline) {
		time.Sleep(took)
		return w.ResponseRecorder.Write(b)
	}
	time.Sleep(time.Until(w.deadline))
	return 0, os.ErrDeadlineExceeded
}

func (w *slowWriter) SetWriteDeadline(at time.Time) error {
	w.deadline = at
	return nil
}

// An answer may take longer than the server's limit, as long as its client takes each piece in
// its time. No client has less than the limit.
func TestAnswersWaitForSlowClients(t *testing.T) {
	t.Parallel()
	const size = 40*PieceSize + 1
	const shared = MostStreams * PieceSize * time.Second / 25_000 // 200 kbit/s for all of them
	for _, test := range []struct {
		rule   string
		major  int           // of HTTP
		limit  time.Duration // of the server; 0: none
		pace   time.Duration
		arrive bool
	}{
		{"the client takes pieces in time", 1, time.Minute, PieceTime - time.Second, true},
		{"the client takes less", 1, time.Minute, PieceTime + time.Second, false},
		{"the client has the time of all pieces", 1, 41 * time.Minute, time.Minute, true},
		{"there is no limit", 1, 0, time.Hour, true},
		{"the answers of a connection share its speed", 2, time.Minute, shared, true},
		{"the client takes nothing of an answer", 2, time.Minute, 24 * time.Hour, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			server := &http.Server{WriteTimeout: test.limit}
			w := &slowWriter{ResponseRecorder: httptest.NewRecorder(), pace: test.pace}
			if test.limit > 0 {
				w.deadline = time.Now().Add(test.limit)
			}
			var observed Exchange
			o := options()
			o.Observe = func(x Exchange) { observed = x }
			r := httptest.NewRequest("GET", "/", nil)
			r.ProtoMajor = test.major
			r = r.WithContext(context.WithValue(r.Context(), http.ServerContextKey, server))
			Wrap(o, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				Send(w, r, http.StatusOK, make([]byte, size))
			})).ServeHTTP(w, r)
			if got := w.Body.Len(); (got == size) != test.arrive || observed.Bytes != int64(got) {
				t.Errorf("%s: %d bytes arrive, of %d, and %d are observed", test.rule, got, size, observed.Bytes)
			}
		})
	}
}

// A handler can have another limit for its answer.
func TestAnswersHaveTheLimitOfTheirHandler(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &slowWriter{ResponseRecorder: httptest.NewRecorder(), pace: PieceTime - time.Second}
		Wrap(options(), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(2 * PieceTime))
			Send(w, r, http.StatusOK, make([]byte, 10*PieceSize))
		})).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
		if got := w.Body.Len(); got != 10*PieceSize {
			t.Errorf("%d bytes arrive, of %d", got, 10*PieceSize)
		}
	})
}
