package e2e

import (
	"bytes"
	"cmp"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/webhook"
)

// signedMessage is a message for the receivers of the page.
type signedMessage struct {
	name   string
	header http.Header
	ok     bool // the receiver has to take it
}

// The receivers of the page take what is signed, print it once, and refuse all else.
func TestWebhookReceivers(t *testing.T) {
	t.Parallel()
	need(t, "python3")
	need(t, "openssl")
	program := filepath.Join(t.TempDir(), "receiver")
	if output, err := exec.Command("go", "build", "-o", program, "../docs/receivers/receiver.go").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	secret := webhook.NewKey([32]byte{7}).Secret(ident.ID{1}, 1)
	body := []byte(`{"type":"problem.created","timestamp":"2026-03-14T09:30:00.000Z","data":{"title":"é\\n"}}`)
	message := func(id string, at time.Time) http.Header {
		h := http.Header{}
		h.Set("webhook-id", id)
		h.Set("webhook-timestamp", webhook.Timestamp(at))
		h.Set("webhook-signature", "v1,AAAA "+secret.Sign(id, at, body))
		return h
	}
	// A parallel test may wait for minutes: each signs its own messages.
	messages := func() []signedMessage {
		now := time.Now()
		changed := message("changed", now)
		changed.Set("webhook-id", "other")
		with := func(id string, of func(signature string) string) http.Header {
			h := message(id, now)
			h.Set("webhook-signature", of(secret.Sign(id, now, body)))
			return h
		}
		const foreign = "v1,AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
		return []signedMessage{
			{"signed", message("one", now), true},
			{"signed, again", message("one", now), true},
			{"changed", changed, false},
			{"signed, before another signature", with("one", func(s string) string { return s + " " + foreign }), true},
			{"signed, between others", with("one", func(s string) string { return "v1a,AAAA " + s + " " + foreign }), true},
			{"signed by others", with("others", func(string) string { return foreign + " " + foreign }), false},
			{"signed in another version", with("version", func(s string) string { return "v2" + strings.TrimPrefix(s, "v1") }), false},
			{"old", message("old", now.Add(-time.Hour)), false},
			{"without headers", http.Header{}, false},
		}
	}
	for name, args := range map[string][]string{"Go": {program}, "Python": {"python3", "../docs/receivers/receiver.py"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			receive(t, exec.Command(args[0], args[1:]...), secret, body, messages())
		})
	}
	t.Run("shell", func(t *testing.T) {
		t.Parallel()
		for _, m := range messages() {
			check := exec.Command("sh", "../docs/receivers/check.sh")
			check.Env = append(os.Environ(), "SECRET="+secret.Reveal(), "ID="+m.header.Get("webhook-id"),
				"TIMESTAMP="+cmp.Or(m.header.Get("webhook-timestamp"), "0"), "SIGNATURE="+m.header.Get("webhook-signature"))
			check.Stdin = bytes.NewReader(body)
			printed, err := check.Output()
			if (err == nil) != m.ok || m.ok && !bytes.Equal(printed, body) {
				t.Errorf("%s: %v, printed is %q", m.name, err, printed)
			}
		}
	})
}

// receive starts a receiver, and sends it messages.
func receive(t *testing.T, receiver *exec.Cmd, secret webhook.Secret, body []byte, messages []signedMessage) {
	t.Helper()
	address, out := freeAddress(t), new(lockedBuffer)
	receiver.Env = append(os.Environ(), "SECRET="+secret.Reveal(), "ADDRESS="+address)
	receiver.Stdout, receiver.Stderr = out, t.Output()
	if err := receiver.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = receiver.Process.Kill(); _ = receiver.Wait() })
	for _, m := range messages {
		var answer *http.Response
		eventually(t, "the receiver answers", func() bool {
			r, err := http.NewRequest("POST", "http://"+address+"/", bytes.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			r.Header = m.header.Clone()
			answer, err = http.DefaultClient.Do(r)
			return err == nil
		})
		answer.Body.Close()
		if ok := answer.StatusCode == http.StatusNoContent; ok != m.ok || !ok && answer.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s: status %d", m.name, answer.StatusCode)
		}
	}
	if got, want := out.String(), string(body)+"\n"; got != want {
		t.Errorf("printed is %q, want %q once", got, want)
	}
}
