package webhook

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
)

// The vector is that of the libraries of Standard Webhooks, in their tests for signing.
func TestSignVector(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"} {
		secret, err := ParseSecret(text)
		if err != nil {
			t.Fatal(err)
		}
		got := secret.Sign("msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
		if want := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; got != want {
			t.Errorf("the signature is %s, want %s", got, want)
		}
	}
}

func TestParseSecret(t *testing.T) {
	t.Parallel()
	secret := key(1).Secret(ident.ID{1}, 1)
	again, err := ParseSecret(secret.Reveal())
	if err != nil || again.Reveal() != secret.Reveal() {
		t.Errorf("%q is read as %q (%v)", secret.Reveal(), again.Reveal(), err)
	}
	if !strings.HasPrefix(secret.Reveal(), "whsec_") {
		t.Errorf("the secret is %s", secret.Reveal())
	}
	for _, wrong := range []string{"", "whsec_", "whsec_!", "pts_abc"} {
		if _, err := ParseSecret(wrong); err == nil {
			t.Errorf("%q is read as a secret", wrong)
		}
	}
	if (Secret{}).Reveal() != "" {
		t.Error("the zero secret has a text")
	}
}

func TestSecretsDiffer(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for k := range byte(3) {
		for e := range byte(3) {
			for generation := range int64(3) {
				name := fmt.Sprint(k, e, generation)
				text := key(k).Secret(ident.ID{e}, generation).Reveal()
				if other, twice := seen[text]; twice {
					t.Errorf("%s and %s have one secret", name, other)
				}
				seen[text] = name
				if text != key(k).Secret(ident.ID{e}, generation).Reveal() {
					t.Errorf("%s has two secrets", name)
				}
			}
		}
	}
}

func TestParseKey(t *testing.T) {
	t.Parallel()
	for _, text := range []string{key(3).Reveal(), " " + key(3).Reveal() + "\n", base64.StdEncoding.EncodeToString(make([]byte, 64))} {
		k, err := ParseKey(text)
		if err != nil || k.Reveal() != strings.TrimSpace(text) {
			t.Errorf("%q is read as %q (%v)", text, k.Reveal(), err)
		}
	}
	for _, text := range []string{"", "geheim", base64.StdEncoding.EncodeToString(make([]byte, 31)), key(3).Reveal()[1:]} {
		if _, err := ParseKey(text); err != ErrKey {
			t.Errorf("%q: %v", text, err)
		}
	}
	if one, again := key(3).ID(), key(3).ID(); one == key(4).ID() || one != again {
		t.Error("keys are not told apart by their identifiers")
	}
	id, err := ParseKeyID(key(3).ID().String())
	if err != nil || id != key(3).ID() {
		t.Errorf("the identifier is read as %v (%v)", id, err)
	}
	for _, text := range []string{"", "00", "zz00000000000000", "0000000000000000ff"} {
		if _, err := ParseKeyID(text); err == nil {
			t.Errorf("%q is read as an identifier", text)
		}
	}
}

func TestSecretsAreMasked(t *testing.T) {
	t.Parallel()
	k := key(5)
	secret := k.Secret(ident.ID{1}, 1)
	type holder struct {
		k Key
		s Secret
	}
	encoded, err := json.Marshal(map[string]any{"key": k, "secret": secret})
	if err != nil {
		t.Fatal(err)
	}
	for _, shown := range []string{
		fmt.Sprint(k, secret), fmt.Sprintf("%#v %x %q %+v", k, k, k, &k), fmt.Sprintf("%#v %x %q %+v", secret, secret, secret, &secret),
		fmt.Sprintf("%v", holder{k, secret}), string(encoded),
	} {
		for _, hidden := range []string{k.Reveal(), strings.TrimPrefix(secret.Reveal(), "whsec_")} {
			if strings.Contains(shown, hidden) || strings.Contains(shown, hidden[:8]) {
				t.Errorf("a secret is shown: %s", shown)
			}
		}
	}
}

func TestEndpointSign(t *testing.T) {
	t.Parallel()
	k, body := key(1), []byte(`{}`)
	e := Endpoint{ID: ident.ID{9}, Secret: SecretRef{Key: k.ID(), Generation: 1}}
	first, err := e.Sign(k, "id", noon, body)
	if err != nil || first != k.Secret(e.ID, 1).Sign("id", noon, body) {
		t.Errorf("the signature is %s, %v", first, err)
	}
	e.Secret, _ = e.Secret.Rotate(k.ID(), noon, false)
	both, err := e.Sign(k, "id", noon, body)
	if want := k.Secret(e.ID, 2).Sign("id", noon, body) + " " + first; err != nil || both != want {
		t.Errorf("after a rotation the signatures are %s (%v), want %s", both, err, want)
	}
	if _, err := e.Sign(key(2), "id", noon, body); !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), "PROBLEMS_WEBHOOK_KEY_FILE") {
		t.Errorf("with another key: %v", err)
	}
	if _, err := e.Sign(Key{}, "id", noon, body); err == nil {
		t.Error("it signs without a key")
	}
}

var noon = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

func key(n byte) Key { return NewKey([32]byte{n, 31: n}) }
