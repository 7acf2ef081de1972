package access

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

func counting() (random [32]byte) {
	for i := range random {
		random[i] = byte(i)
	}
	return random
}

// TestSecretVectors has secrets and digests computed by another program.
func TestSecretVectors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		random       [32]byte
		text, digest string
	}{
		{[32]byte{}, "pts_00000000000000000000000000000000000000000001zyW8E", "ea444c6b5ed701715d177d509c9524cca28d3ea62ea92b7937d30cb7efa35641"},
		{[32]byte(bytes.Repeat([]byte{0xff}, 32)), "pts_yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp13df2ze", "77ce8ed8607a620e2df97981c58cf953cfd2cd171618b836543ac8e18abf870b"},
		{counting(), "pts_003aUlTJC7tjlCTQj2uNU3MFagCXG9LRKRcwGkBIDlf1AvUq6", "2999b433d4d699142a898488f5e68b7a9dff811fb94c1924b0ac4731112b5d5c"},
	} {
		secret := NewSecret(c.random)
		digest := secret.Digest()
		if secret.Reveal() != c.text || hex.EncodeToString(digest[:]) != c.digest {
			t.Errorf("%x makes %s, whose digest is %x; want %s, %s", c.random, secret.Reveal(), digest, c.text, c.digest)
		}
		parsed, err := ParseSecret(c.text)
		if err != nil || parsed.Reveal() != c.text || parsed.Digest() != digest {
			t.Errorf("ParseSecret(%s) = %s, %v", c.text, parsed.Reveal(), err)
		}
	}
}

func TestParseSecretRefuses(t *testing.T) {
	t.Parallel()
	good := NewSecret(counting()).Reveal()
	cases := map[string]string{
		"empty":               "",
		"prefix alone":        "pts_",
		"another prefix":      "ghp_" + good[4:],
		"prefix in capitals":  "PTS_" + good[4:],
		"one longer":          good + "0",
		"space before":        " " + good[1:],
		"no digit":            good[:20] + "-" + good[21:],
		"no ASCII":            good[:20] + "é" + good[22:],
		"no digit at the end": good[:len(good)-1] + "!",
		"two exchanged":       good[:6] + good[7:8] + good[6:7] + good[8:],
		"33 bytes":            "pts_yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp21kfmmi",
		"largest number":      "pts_zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz0GEAwh",
	}
	for i := range len(good) {
		cases[fmt.Sprintf("truncated to %d", i)] = good[:i]
		cases[fmt.Sprintf("without character %d", i)] = good[:i] + good[i+1:]
		replacement := "a"
		if good[i] == 'a' {
			replacement = "b"
		}
		cases[fmt.Sprintf("another character %d", i)] = good[:i] + replacement + good[i+1:]
	}
	for name, text := range cases {
		secret, err := ParseSecret(text)
		if !errors.Is(err, ErrSecret) || secret != (Secret{}) {
			t.Errorf("%s: ParseSecret(%q) = %q, %v; want ErrSecret", name, text, secret.Reveal(), err)
		}
	}
}

func TestZeroSecret(t *testing.T) {
	t.Parallel()
	if got := (Secret{}).Reveal(); got != "" {
		t.Errorf("the zero Secret is %q", got)
	}
	if (Secret{}).Digest() == NewSecret([32]byte{}).Digest() {
		t.Error("the zero Secret has the digest of a token")
	}
}

// TestSecretIsHidden looks for the secret in all output with a chance of printing it
// by accident.
func TestSecretIsHidden(t *testing.T) {
	t.Parallel()
	secret := NewSecret(counting())
	_, refused := ParseSecret(secret.Reveal()[1:])
	type exported struct{ Secret Secret }
	type embedded struct{ Secret }
	type unexported struct{ secret Secret }
	values := map[string]any{
		"secret":     secret,
		"pointer":    &secret,
		"slice":      []Secret{secret},
		"map":        map[string]Secret{"a": secret},
		"key":        map[Secret]int{secret: 1},
		"exported":   exported{secret},
		"embedded":   embedded{secret},
		"unexported": unexported{secret},
		"nested":     &struct{ inner []unexported }{[]unexported{{secret}}},
		"error":      fmt.Errorf("token %v: %w", secret, refused),
	}
	for name, value := range values {
		outputs := map[string]string{}
		for _, flags := range []string{"", "+", "#", " ", "0", "-", "60", ".3", "# "} {
			for _, verb := range "vTtbcdoOqxXUeEfFgGspw" {
				format := "%" + flags + string(verb)
				outputs[format] = fmt.Sprintf(format, value)
			}
		}
		outputs["Sprint"] = fmt.Sprint(value)
		if encoded, err := json.Marshal(value); err == nil {
			outputs["json"] = string(encoded)
		}
		for handler, logger := range map[string]func(*bytes.Buffer) slog.Handler{
			"slog text": func(b *bytes.Buffer) slog.Handler { return slog.NewTextHandler(b, nil) },
			"slog json": func(b *bytes.Buffer) slog.Handler { return slog.NewJSONHandler(b, nil) },
		} {
			var b bytes.Buffer
			slog.New(logger(&b)).With("before", value).Info("message", "value", value, slog.Group("group", "value", value))
			outputs[handler] = b.String()
		}
		for how, output := range outputs {
			if shows(output, secret.Reveal()) {
				t.Errorf("%s, by %s: %s", name, how, output)
			}
		}
	}
}

// shows reports whether the output has six characters of the secret beyond its prefix:
// as text, as bytes or as hexadecimal digits.
func shows(output, secret string) bool {
	for i := len(prefix); i+6 <= len(secret); i++ {
		part := []byte(secret[i : i+6])
		for _, form := range []string{
			string(part),
			hex.EncodeToString(part),
			strings.ToUpper(hex.EncodeToString(part)),
			strings.Trim(fmt.Sprint(part), "[]"),
			strings.Trim(fmt.Sprintf("% x", part), "[]"),
		} {
			if strings.Contains(output, form) {
				return true
			}
		}
	}
	return false
}

func TestSecretMask(t *testing.T) {
	t.Parallel()
	secret := NewSecret(counting())
	encoded, err := json.Marshal(struct{ Token Secret }{secret})
	if want := `{"Token":"pts_…"}`; err != nil || string(encoded) != want {
		t.Errorf("as JSON: %s, %v; want %s", encoded, err, want)
	}
	if got, want := fmt.Sprintf("%v %s %+v %#v %q %d", secret, secret, secret, secret, secret, secret), strings.TrimSuffix(strings.Repeat("pts_… ", 6), " "); got != want {
		t.Errorf("formatted: %s, want %s", got, want)
	}
	var b bytes.Buffer
	slog.New(slog.NewTextHandler(&b, nil)).Info("m", "token", secret)
	if !strings.Contains(b.String(), "token=pts_…") {
		t.Errorf("logged: %s", b.String())
	}
}
