package web

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

const (
	testClient = "problems"
	testSecret = "a secret with % and spaces"
)

// testProvider is a provider of OpenID Connect. Somebody is signed in there, and consents to
// everything.
type testProvider struct {
	*httptest.Server
	t testing.TB

	mu     sync.Mutex
	key    *ecdsa.PrivateKey
	keyID  int
	codes  map[string]url.Values // the request behind each unused code
	asked  map[string]int        // requests by path
	claims map[string]any        // over those of the ID token; nil removes one
	info   map[string]any        // of the UserInfo endpoint; nil: there is none
	about  map[string]any        // over the description; nil removes a member
	sign   func(payload []byte) string
	// answer answers a request in place of the provider, if it returns true.
	answer func(http.ResponseWriter, *http.Request) bool
}

func newTestProvider(t testing.TB) *testProvider {
	t.Helper()
	p := &testProvider{t: t, codes: map[string]url.Values{}, asked: map[string]int{}, claims: map[string]any{}, about: map[string]any{}}
	p.rotate()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /realm/.well-known/openid-configuration", p.describe)
	mux.HandleFunc("GET /realm/keys", p.keys)
	mux.HandleFunc("GET /realm/authorize", p.authorize)
	mux.HandleFunc("POST /realm/token", p.token)
	mux.HandleFunc("GET /realm/userinfo", p.userInfo)
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.asked[r.URL.Path]++
		answer := p.answer
		p.mu.Unlock()
		if answer == nil || !answer(w, r) {
			mux.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(p.Close)
	return p
}

func (p *testProvider) issuer() string { return p.URL + "/realm" }

// set changes the provider while it runs.
func (p *testProvider) set(change func(*testProvider)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(p)
}

// count returns how many requests a path had.
func (p *testProvider) count(path string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked["/realm"+path]
}

// rotate puts a new key in place of the last one.
func (p *testProvider) rotate() {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		p.t.Fatal(err)
	}
	p.key = key
	p.keyID++
}

func (p *testProvider) json(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(value); err != nil {
		p.t.Error(err)
	}
}

func overlay(base, over map[string]any) map[string]any {
	maps.Copy(base, over)
	maps.DeleteFunc(base, func(_ string, v any) bool { return v == nil })
	return base
}

func (p *testProvider) describe(w http.ResponseWriter, _ *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	base := map[string]any{
		"issuer": p.issuer(), "authorization_endpoint": p.issuer() + "/authorize", "token_endpoint": p.issuer() + "/token", "jwks_uri": p.issuer() + "/keys",
		"id_token_signing_alg_values_supported": []string{"ES256", "HS256", "none"},
	}
	if p.info != nil {
		base["userinfo_endpoint"] = p.issuer() + "/userinfo"
	}
	p.json(w, overlay(base, p.about))
}

func (p *testProvider) keys(w http.ResponseWriter, _ *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.json(w, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: p.key.Public(), KeyID: fmt.Sprint(p.keyID), Algorithm: "ES256", Use: "sig"}}})
}

func (p *testProvider) authorize(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	for name, want := range map[string]string{"client_id": testClient, "response_type": "code", "code_challenge_method": "S256", "scope": "openid email profile"} {
		if query.Get(name) != want {
			p.t.Errorf("%s is %q, want %q", name, query.Get(name), want)
		}
	}
	for _, name := range []string{"state", "nonce", "code_challenge"} {
		if len(query.Get(name)) < 43 {
			p.t.Errorf("%s is %q, which has less than 256 bits", name, query.Get(name))
		}
	}
	code := rand.Text()
	p.set(func(p *testProvider) { p.codes[code] = query })
	back, err := url.Parse(query.Get("redirect_uri"))
	if err != nil {
		p.t.Error(err)
		return
	}
	back.RawQuery = url.Values{"code": {code}, "state": {query.Get("state")}, "iss": {p.issuer()}}.Encode()
	http.Redirect(w, r, back.String(), http.StatusFound)
}

func (p *testProvider) token(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	client, secret, _ := r.BasicAuth() // both are form-encoded
	if p.about["token_endpoint_auth_methods_supported"] != nil {
		client, secret = r.PostFormValue("client_id"), url.QueryEscape(r.PostFormValue("client_secret"))
	}
	code := r.PostFormValue("code")
	asked := p.codes[code]
	delete(p.codes, code)
	challenge := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	if client != testClient || secret != url.QueryEscape(testSecret) || asked == nil || asked.Get("redirect_uri") != r.PostFormValue("redirect_uri") ||
		asked.Get("code_challenge") != base64.RawURLEncoding.EncodeToString(challenge[:]) {
		w.WriteHeader(http.StatusBadRequest)
		p.json(w, map[string]any{"error": "invalid_grant", "error_description": "<b>no</b>"})
		return
	}
	now := time.Now()
	payload, err := json.Marshal(overlay(map[string]any{
		"iss": p.issuer(), "aud": testClient, "sub": "7", "nonce": asked.Get("nonce"), "exp": now.Add(time.Minute).Unix(), "iat": now.Unix(),
		"email": "admin@localhost", "email_verified": true, "name": "Ann Lee",
	}, p.claims))
	if err != nil {
		p.t.Error(err)
	}
	sign := p.sign
	if sign == nil {
		sign = signer(p.t, jose.ES256, p.key, fmt.Sprint(p.keyID))
	}
	p.json(w, map[string]any{"access_token": "access", "token_type": "Bearer", "expires_in": 60, "id_token": sign(payload)})
}

func (p *testProvider) userInfo(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.Header.Get("Authorization") != "Bearer access" {
		p.t.Errorf("the UserInfo endpoint gets the authorization %q", r.Header.Get("Authorization"))
	}
	p.json(w, p.info)
}

// signer returns a function that signs ID tokens.
func signer(t testing.TB, algorithm jose.SignatureAlgorithm, key any, keyID string) func([]byte) string {
	return func(payload []byte) string {
		s, err := jose.NewSigner(jose.SigningKey{Algorithm: algorithm, Key: key}, (&jose.SignerOptions{}).WithHeader("kid", keyID))
		if err != nil {
			t.Error(err)
			return ""
		}
		signed, err := s.Sign(payload)
		if err != nil {
			t.Error(err)
			return ""
		}
		text, err := signed.CompactSerialize()
		if err != nil {
			t.Error(err)
		}
		return text
	}
}

// unsigned returns an ID token with the algorithm "none".
func unsigned(payload []byte) string {
	return base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)) + "." + base64.RawURLEncoding.EncodeToString(payload) + "."
}
