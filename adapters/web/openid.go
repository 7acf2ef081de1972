package web

import (
	"cmp"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/problemtracking/problems/adapters/httpframe/peer"
	"github.com/problemtracking/problems/adapters/web/internal/openid"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/admin"
	"github.com/problemtracking/problems/domain/user"
)

// OpenID are the settings for signing in by a provider of OpenID Connect (D41). The
// provider has to know the redirect URI: the public URL and "/sign-in/callback".
type OpenID struct {
	// Issuer is the URL of the provider, exactly as the provider writes it.
	Issuer string
	// ClientID is the name of this service at the provider.
	ClientID string
	// Secret returns the password of this service at the provider. Each sign-in asks for
	// it.
	Secret func() (string, error)
	// Name is the provider's name on the button. Empty: the host of the issuer.
	Name string
	// Scope is the scope of all sessions that begin in this way.
	Scope access.Scope
	// CreateUsers makes a user for an unknown address. Otherwise, an administrator has to
	// do that before the first sign-in.
	CreateUsers bool
	// CreateDomains are the domains of addresses for which CreateUsers makes users. Empty: all.
	CreateDomains []string
	// Around, if not nil, returns a way for requests to the provider around another one.
	Around func(http.RoundTripper) http.RoundTripper
	// Timeout bounds one conversation with the provider. 0 means 10 seconds.
	Timeout time.Duration
}

// openIDCallback is the path that the provider sends browsers back to.
const openIDCallback = "/sign-in/callback"

// attemptLife is how long a person may take at the provider.
const attemptLife = 10 * time.Minute

// checkSignIns refuses options for signing in that make no sense.
func (h *Handler) checkSignIns() error {
	if p := h.Proxy; p != nil && (p.Header == "" || p.Networks.String() == (peer.Networks{}).String() || !p.Scope.Valid()) {
		return errors.New("web: the header of a proxy needs a name, networks and a scope")
	}
	if h.OpenID == nil {
		return nil
	}
	o := *h.OpenID
	issuer, err := url.Parse(o.Issuer)
	if err != nil || issuer.Host == "" || o.ClientID == "" || o.Secret == nil || h.Origin == "" || h.Random == nil || !o.Scope.Valid() {
		return errors.New("web: OpenID Connect needs an issuer, a client, its secret, the origin of the pages, random bytes and a scope")
	}
	o.Name = cmp.Or(o.Name, issuer.Host)
	h.OpenID = &o
	h.openID = openid.New(openid.Config{
		Issuer: o.Issuer, ClientID: o.ClientID, Secret: o.Secret, Redirect: h.Origin + h.base + openIDCallback, Now: h.Now, Around: o.Around, Timeout: o.Timeout,
	})
	return nil
}

// attempt is a sign-in that has begun. A cookie keeps it, because any server of several may
// get the answer.
type attempt struct {
	openid.Attempt
	To      string // the page to go on with, below the base path
	Expires time.Time
}

// text returns the sign-in as the value of a cookie.
func (a attempt) text() string {
	return strings.Join([]string{a.State, a.Nonce, a.Verifier, strconv.FormatInt(a.Expires.UnixMicro(), 10), base64.RawURLEncoding.EncodeToString([]byte(a.To))}, ".")
}

// parseAttempt reads the value of a cookie.
func parseAttempt(text string) (a attempt, ok bool) {
	parts := strings.Split(text, ".")
	if len(parts) != 5 {
		return a, false
	}
	expires, err := strconv.ParseInt(parts[3], 10, 64)
	to, broken := base64.RawURLEncoding.DecodeString(parts[4])
	a = attempt{openid.Attempt{State: parts[0], Nonce: parts[1], Verifier: parts[2]}, string(to), time.UnixMicro(expires)}
	return a, err == nil && broken == nil
}

// attemptCookie returns the cookie of a sign-in without its value. Its name has a part of the
// state: so people can sign in in several tabs at once.
func (h *Handler) attemptCookie(state string) http.Cookie {
	return h.newCookie(attemptName + state[:min(len(state), attemptDigits)])
}

const (
	attemptName   = "problems-sign-in-"
	attemptDigits = 12
	// mostBegun is how many sign-ins a browser has under way.
	mostBegun = 5
	// mostBegunBytes is the size of their cookies. Many proxies take lines of 8 KiB at most.
	mostBegunBytes = 6 << 10
)

// makeRoom has the browser forget the oldest sign-ins, when a new one of this size is too much.
func (q *request) makeRoom(size int) {
	begun := slices.DeleteFunc(q.r.Cookies(), func(c *http.Cookie) bool {
		a, ok := parseAttempt(c.Value)
		return !ok || c.Name != q.attemptCookie(a.State).Name
	})
	slices.SortStableFunc(begun, func(a, b *http.Cookie) int {
		older, _ := parseAttempt(a.Value)
		newer, _ := parseAttempt(b.Value)
		return newer.Expires.Compare(older.Expires)
	})
	for i, c := range begun {
		if size += len(c.Value); i+1 >= mostBegun || size > mostBegunBytes {
			used := q.attemptCookie("")
			used.Name, used.MaxAge = c.Name, -1
			http.SetCookie(q.w, &used)
		}
	}
}

// beginOpenID sends the browser to the provider. It is a GET, because form-action in the
// policy of the pages would forbid the way from a form to another site. It changes nothing
// but a cookie.
func beginOpenID(q *request) (answer, error) {
	if err := q.needsOpenID(); err != nil {
		return answer{}, err
	}
	query := q.r.URL.Query()
	a := attempt{To: destination(query.Get("to")), Expires: q.Now().Add(attemptLife)}
	if len(a.To) > 2048 { // browsers drop a cookie above 4096 bytes
		a.To = "/problems"
	}
	// The provider sends the browser to the address for people. Only there it has the cookie.
	if origin, err := url.Parse(q.Origin); !query.Has("here") && (err != nil || q.r.Host != origin.Host || q.Secure && !q.keepsCookies()) {
		return answer{to: q.Origin + q.base + "/sign-in/openid?here=1&to=" + url.QueryEscape(a.To)}, nil
	}
	for _, secret := range []*string{&a.State, &a.Nonce, &a.Verifier} {
		var bits [32]byte
		if _, err := io.ReadFull(q.Random, bits[:]); err != nil {
			return answer{}, err
		}
		*secret = base64.RawURLEncoding.EncodeToString(bits[:])
	}
	to, err := q.openID.URL(q.context(), a.Attempt)
	if err != nil {
		return q.refuseOpenID(a.To, err)
	}
	c := q.attemptCookie(a.State)
	c.Value = a.text()
	q.makeRoom(len(c.Value))
	c.MaxAge = int(attemptLife / time.Second)
	http.SetCookie(q.w, &c)
	return answer{to: to}, nil
}

// needsOpenID refuses requests without a provider. It refuses HEAD, because programs that
// look at links would begin or use up a sign-in.
func (q *request) needsOpenID() error {
	switch {
	case q.OpenID == nil:
		return fault.New(fault.NotFound, "there is no page at this address")
	case q.r.Method != http.MethodGet:
		q.w.Header().Set("Allow", http.MethodGet)
		return fault.New(fault.MethodNotAllowed, "this address has another method: see the header Allow")
	}
	return nil
}

// attempt returns the sign-in with this state, if the browser has begun it. Browsers send several
// cookies of the name when a site beside this one has planted one: then there is none.
func (q *request) attempt(state string) (a attempt, ok bool) {
	cookies := q.r.CookiesNamed(q.attemptCookie(state).Name)
	if len(cookies) != 1 {
		return a, false
	}
	a, ok = parseAttempt(cookies[0].Value)
	same := subtle.ConstantTimeCompare([]byte(state), []byte(a.State)) == 1
	return a, ok && same && state != "" && q.Now().Before(a.Expires)
}

// finishOpenID begins a session for the person named by the provider. The protocol
// prescribes a GET: the state in it proves that this browser has begun the sign-in, so
// another site cannot sign people in.
func finishOpenID(q *request) (answer, error) {
	if err := q.needsOpenID(); err != nil {
		return answer{}, err
	}
	query := q.r.URL.Query()
	a, ok := q.attempt(query.Get("state"))
	if !ok {
		if !q.caller.User.IsNone() { // the answer is here again, such as by "back"
			return q.redirect(destination(a.To)), nil
		}
		return q.refuse(http.StatusBadRequest, "/problems", "openid.lost"), nil
	}
	// An attempt is good for one answer.
	used := q.attemptCookie(a.State)
	used.MaxAge = -1
	http.SetCookie(q.w, &used)
	a.To = destination(a.To)
	if err := q.checkAnswer(query); err != nil {
		return q.refuseOpenID(a.To, err)
	}
	who, err := q.openID.Identify(q.context(), query.Get("code"), a.Attempt)
	if err != nil {
		return q.refuseOpenID(a.To, err)
	}
	return q.enter(who, a.To)
}

// errDenied is the refusal of the provider, or of the person there.
var errDenied = errors.New("the provider denies access")

// checkAnswer refuses an answer of the provider without a code, or of another provider.
func (q *request) checkAnswer(query url.Values) error {
	invalid := func(format string, args ...any) error {
		return &openid.Error{Reason: openid.Invalid, Cause: fmt.Errorf(format, args...)}
	}
	switch issuer, failure := query.Get("iss"), query.Get("error"); {
	case query.Has("iss") && issuer != q.OpenID.Issuer: // RFC 9207
		return invalid("the answer is of another issuer: %q", issuer)
	case failure == "access_denied":
		return errDenied
	case failure == "temporarily_unavailable" || failure == "server_error":
		return &openid.Error{Reason: openid.Away, Cause: fmt.Errorf("the provider answers %q: %q", failure, query.Get("error_description"))}
	case failure != "":
		return invalid("the provider answers %q: %q", failure, query.Get("error_description"))
	case query.Get("code") == "":
		return invalid("the answer has no code")
	}
	return nil
}

// refuseOpenID answers a failed sign-in. The page never has the words of the provider; the
// log has them. Who already has a session goes on with it.
func (q *request) refuseOpenID(to string, err error) (answer, error) {
	signedIn := !q.caller.User.IsNone()
	if errors.Is(err, errDenied) {
		if signedIn {
			return q.redirect(to), nil
		}
		return q.refuse(http.StatusForbidden, to, "openid.denied", q.OpenID.Name), nil
	}
	failed, ok := errors.AsType[*openid.Error](err)
	if !ok {
		return answer{}, err
	}
	status := map[openid.Reason]int{openid.Away: http.StatusServiceUnavailable, openid.Unverified: http.StatusForbidden, openid.Invalid: http.StatusBadGateway}[failed.Reason]
	if failed.Reason != openid.Unverified {
		q.Logger.WarnContext(q.context(), "sign-in by OpenID Connect failed", "request", q.frame.RequestID, "cause", clip(failed.Error(), maxCause))
	}
	if signedIn {
		return q.redirect(to), nil
	}
	return q.refuse(status, to, "openid."+string(failed.Reason), q.OpenID.Name), nil
}

// maxCause is how much of a provider's answer the log gets, in bytes.
const maxCause = 1000

// clip returns the begin of a text, as UTF-8.
func clip(text string, most int) string {
	if len(text) > most {
		text = text[:most] + "…"
	}
	return strings.ToValidUTF8(text, "�")
}

// enter begins a session for the user with the address of the person.
func (q *request) enter(who openid.Identity, to string) (answer, error) {
	if err := user.CheckProved(who.Email); err != nil {
		shown := strconv.QuoteToASCII(who.Email) // or two letters look alike
		q.Logger.WarnContext(q.context(), "sign-in by OpenID Connect failed", "request", q.frame.RequestID,
			"cause", "the address of the person "+err.Error(), "email", clip(shown, maxCause))
		return q.refuse(http.StatusForbidden, to, "sign-in.address", shown), nil
	}
	u, known, err := q.userByEmail(who.Email)
	if err == nil && !known && q.OpenID.creates(who.Email) {
		u, known, err = q.createUser(who)
		if fault.Is(err, fault.InvalidValue) || fault.Is(err, fault.ValidationFailed) {
			return q.refuse(http.StatusForbidden, to, "sign-in.address", who.Email), nil
		}
	}
	if err != nil {
		return answer{}, err
	}
	if !known {
		return q.refuse(http.StatusForbidden, to, "sign-in.unknown", who.Email), nil
	}
	ok, err := q.beginFor(u, q.OpenID.Scope)
	switch {
	case err != nil:
		return answer{}, err
	case !ok:
		return q.refuse(http.StatusForbidden, to, "sign-in.inactive", who.Email), nil
	}
	return q.redirect(to), nil
}

// creates reports whether an unknown address gets a user.
func (o *OpenID) creates(email string) bool {
	return o.CreateUsers && (len(o.CreateDomains) == 0 || user.IsOf(email, o.CreateDomains))
}

// userByEmail returns the user with an e-mail address.
func (q *request) userByEmail(email string) (user.User, bool, error) {
	users, err := q.Service.Users().List(q.context())
	if err != nil {
		return user.User{}, false, err
	}
	u, known := users.Catalogue.UserByEmail(email)
	return u, known, nil
}

// createUser creates a user for a person. A name that no user can have gives way to the
// address. The service itself is the author, because nobody is signed in yet.
func (q *request) createUser(who openid.Identity) (user.User, bool, error) {
	var created tracker.Answer[user.User]
	var err error
	for _, name := range []string{cmp.Or(strings.TrimSpace(who.Name), who.Email), who.Email} {
		created, err = q.Service.Users().Create(q.context(), tracker.Caller{}, admin.CreateObject[admin.UserPatch]{
			Patch: admin.UserPatch{Name: patch.Set(name), Email: patch.Set(who.Email)},
		})
		if !fault.Is(err, fault.InvalidValue) {
			break
		}
	}
	if fault.Is(err, fault.AlreadyExists) { // another request of the same person was first
		return q.userByEmail(who.Email)
	}
	return created.Value, err == nil, err
}

// beginFor begins a session for a user. It returns false for an inactive user.
func (q *request) beginFor(u user.User, scope access.Scope) (bool, error) {
	if u.Inactive {
		return false, nil
	}
	signed, err := q.Service.Sessions.SignInUser(q.context(), u.ID, scope, q.r.UserAgent())
	if fault.Is(err, fault.Unauthenticated) { // inactive since a moment ago
		return false, nil
	}
	if err != nil {
		return false, err
	}
	q.begin(signed)
	return true, nil
}
