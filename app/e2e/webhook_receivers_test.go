package e2e

import (
	"bytes"
	"cmp"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
	body   []byte
	status int // of the answer
}

// The receivers of the page take what is signed, up to the largest message, print it once, and
// refuse all else.
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
	message := func(id string, at time.Time, body []byte) http.Header {
		h := http.Header{}
		h.Set("webhook-id", id)
		h.Set("webhook-timestamp", webhook.Timestamp(at))
		h.Set("webhook-signature", "v1,AAAA "+secret.Sign(id, at, body))
		return h
	}
	tooLarge := bytes.Repeat([]byte("1"), webhook.MostBody+1)
	largest := tooLarge[:webhook.MostBody]
	// A parallel test may wait for minutes: each signs its own messages.
	messages := func() []signedMessage {
		now := time.Now()
		changed := message("changed", now, body)
		changed.Set("webhook-id", "other")
		with := func(id string, of func(signature string) string) http.Header {
			h := message(id, now, body)
			h.Set("webhook-signature", of(secret.Sign(id, now, body)))
			return h
		}
		const foreign = "v1,AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
		return []signedMessage{
			{"signed", message("one", now, body), body, 204},
			{"signed, again", message("one", now, body), body, 204},
			{"changed", changed, body, 401},
			{"signed, before another signature", with("one", func(s string) string { return s + " " + foreign }), body, 204},
			{"signed, between others", with("one", func(s string) string { return "v1a,AAAA " + s + " " + foreign }), body, 204},
			{"signed by others", with("others", func(string) string { return foreign + " " + foreign }), body, 401},
			{"signed in another version", with("version", func(s string) string { return "v2" + strings.TrimPrefix(s, "v1") }), body, 401},
			{"old", message("old", now.Add(-time.Hour), body), body, 401},
			{"without headers", http.Header{}, body, 401},
			{"too large", message("large", now, tooLarge), tooLarge, 413},
			{"largest", message("large", now, largest), largest, 204},
		}
	}
	for name, args := range map[string][]string{"Go": {program}, "Python": {"python3", "../docs/receivers/receiver.py"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			receive(t, exec.Command(args[0], args[1:]...), secret, messages(), append(append(append(slices.Clone(body), '\n'), largest...), '\n'))
		})
	}
	t.Run("shell", func(t *testing.T) {
		t.Parallel()
		for _, m := range messages() {
			check := exec.Command("sh", "../docs/receivers/check.sh")
			check.Env = append(os.Environ(), "SECRET="+secret.Reveal(), "ID="+m.header.Get("webhook-id"),
				"TIMESTAMP="+cmp.Or(m.header.Get("webhook-timestamp"), "0"), "SIGNATURE="+m.header.Get("webhook-signature"))
			check.Stdin = bytes.NewReader(m.body)
			printed, err := check.Output()
			if ok := m.status == 204; (err == nil) != ok || ok && !bytes.Equal(printed, m.body) {
				t.Errorf("%s: %v, printed are %d bytes: %.100q", m.name, err, len(printed), printed)
			}
		}
	})
}

// receive starts a receiver, sends it messages, and compares what it prints.
func receive(t *testing.T, receiver *exec.Cmd, secret webhook.Secret, messages []signedMessage, want []byte) {
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
			r, err := http.NewRequest("POST", "http://"+address+"/", bytes.NewReader(m.body))
			if err != nil {
				t.Fatal(err)
			}
			r.Header = m.header.Clone()
			if m.status == http.StatusRequestEntityTooLarge {
				r.Header.Set("Expect", "100-continue") // or the end of the connection could hide the answer
			}
			answer, err = http.DefaultClient.Do(r)
			return err == nil
		})
		answer.Body.Close()
		if answer.StatusCode != m.status {
			t.Errorf("%s: status %d, want %d", m.name, answer.StatusCode, m.status)
		}
	}
	// The last message may be on its way through the pipe when the answer is here.
	eventually(t, "all is printed", func() bool { return len(out.String()) >= len(want) })
	if got := out.String(); got != string(want) {
		t.Errorf("printed are %d bytes: %.200q; want %d: %.200q", len(got), got, len(want), want)
	}
}
