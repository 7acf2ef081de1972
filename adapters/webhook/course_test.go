package webhook

import (
	"net/http/httptrace"
	"strings"
	"testing"
	"time"
)

// The reason of an attempt without an answer names the step that took too long.
func TestStepsOfAnAttempt(t *testing.T) {
	t.Parallel()
	var c course
	trace := httptrace.ContextClientTrace(c.within(t.Context()))
	for _, step := range []struct {
		begin func()
		want  string
	}{
		{func() {}, "no answer from the DNS within 15s"},
		{func() { trace.ConnectStart("tcp", "192.0.2.1:443") }, "not accepted a connection within 15s"},
		{func() { trace.TLSHandshakeStart() }, "not ended the TLS handshake within 15s"},
		{func() { trace.GotConn(httptrace.GotConnInfo{}) }, "not answered within 15s"},
	} {
		step.begin()
		if got := c.late(15 * time.Second); !strings.Contains(got, step.want) {
			t.Errorf("the reason is %q, want %q", got, step.want)
		}
	}
}
