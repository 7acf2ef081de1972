package webhook

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/check"
)

// OnFailure says how an endpoint goes on after the last attempt for an event.
type OnFailure string

// The ways to go on.
const (
	// Wait stops at the event until an administrator resumes the endpoint.
	Wait OnFailure = "wait"
	// Park notes the event as parked and goes on with the next one.
	Park OnFailure = "park"
)

// Check refuses any other value.
func (f OnFailure) Check() error {
	if f != Wait && f != Park {
		return errors.New(`must be "wait" or "park"`)
	}
	return nil
}

// Endpoint is a receiver of events with its settings. Only administrators change it. How
// far the delivery has come is in Progress.
type Endpoint struct {
	ID ident.ID
	// Version is the batch of the latest Change of these settings.
	Version ident.ID
	// Owner made the endpoint. It gets the events that the owner may see, and its
	// predicate is evaluated for the owner.
	Owner   ident.ID
	Created time.Time
	URL     string
	// Types are the types of the events to deliver, each once. None stands for all.
	Types []event.Type
	// Predicate leaves out the events of problems that do not satisfy it. It leaves out
	// the events of administration, too. Empty: none.
	Predicate string
	OnFailure OnFailure
	// Active is false once an administrator has stopped the endpoint.
	Active bool
	// Secret says how to derive the secret.
	Secret SecretRef
	// Epoch counts the starts: the first one, and each later replay or resumption. Every
	// one begins behind the event From, without failed attempts.
	Epoch int64
	From  event.Cursor
}

// Limits of an endpoint.
const (
	// MostURL is the largest length of a URL, in bytes.
	MostURL = 2048
	// Most is the largest number of endpoints of a store.
	Most = 1000
	// MostStored is more than a store has of them: several servers together can make some
	// more than Most.
	MostStored = Most + Most/10
)

// mostHost is the largest length of a host with its port, in bytes. Names are no longer.
const mostHost = 253

// mostLabel is the largest length of a part of a name between dots, in bytes.
const mostLabel = 63

// CheckURL refuses a URL that is no address of a receiver. The error's text ends a sentence
// for its author and never repeats the URL.
func CheckURL(text string) error {
	const form = "must be a URL such as https://hooks.example.org/problems"
	if len(text) > MostURL {
		return fmt.Errorf("must have at most %d bytes", MostURL)
	}
	for _, c := range text {
		if c > unicode.MaxASCII || c <= ' ' || c == 0x7f {
			return errors.New("must have only visible ASCII characters: write others as %XX, and in the host as punycode")
		}
	}
	u, err := url.Parse(text)
	switch {
	case err != nil, u.Opaque != "", u.Hostname() == "", len(u.Host) > mostHost:
		return errors.New(form)
	case u.Scheme != "http" && u.Scheme != "https":
		return errors.New(form + ": its scheme must be https or http")
	case u.User != nil:
		return errors.New("must have no user and no password: the signature shows the receiver where a message comes from")
	case u.Fragment != "":
		return errors.New("must have no fragment: it would never be sent")
	}
	if port := u.Port(); port != "" || u.Host[len(u.Host)-1] == ':' {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return errors.New("must have a port from 1 to 65535, or none")
		}
	}
	return nil
}

// CheckHost refuses a URL with a host to which no message can be sent: names that no resolver
// takes, and forms of addresses that resolvers read differently. CheckURL accepts them, because
// stores and archives may have them from before this rule. Addresses that are not public are
// left to the moment of the connection. The URL has passed CheckURL.
func CheckHost(text string) error {
	u, err := url.Parse(text)
	if err != nil {
		return err
	}
	host := u.Hostname()
	if a, err := netip.ParseAddr(host); err == nil {
		if a.Zone() != "" {
			return errors.New("must have an IPv6 address without a zone, such as https://[2606:4700::1111]/: messages are never sent into a zone")
		}
		return nil
	}
	labels := strings.Split(strings.TrimSuffix(host, "."), ".")
	for _, l := range labels {
		foreign := strings.ContainsFunc(l, func(c rune) bool {
			return (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && c != '-' && c != '_'
		})
		if l == "" || len(l) > mostLabel || foreign || l[0] == '-' || l[len(l)-1] == '-' {
			return errors.New("must have a host such as hooks.example.org: each part between dots has 1 to 63 letters, digits, - or _, and neither begins nor ends with -")
		}
	}
	if endsInNumber(labels) {
		return errors.New("must have an IPv4 address of four decimal numbers from 0 to 255, such as 10.0.0.7: no other host ends in a number")
	}
	return nil
}

// endsInNumber reports whether a host stands for an IPv4 address (WHATWG URL, "ends in a
// number"). Resolvers read 0x7f.1, 0177.0.0.1 and 2130706433 as 127.0.0.1, or not at all.
func endsInNumber(labels []string) bool {
	last := strings.ToLower(labels[len(labels)-1])
	digits := "0123456789"
	if hex, ok := strings.CutPrefix(last, "0x"); ok {
		last, digits = hex, "0123456789abcdef"
	}
	return strings.Trim(last, digits) == ""
}

// CheckType refuses a type that no event has.
func CheckType(t event.Type) error {
	if !slices.Contains(event.Types(), t) {
		return errors.New("must be a type of events, such as problem.created")
	}
	return nil
}

// Plan compiles the predicate for its owner at this moment, with dates in a zone; nil when
// there is none. The error is a *predicate.Error.
func (e Endpoint) Plan(now time.Time, zone *time.Location) (*predicate.Plan, error) {
	if e.Predicate == "" {
		return nil, nil
	}
	return check.Compile(e.Predicate, predicate.Problem, predicate.Env{Now: now, User: e.Owner, Zone: zone})
}

// Wants reports whether the endpoint gets an event, as far as the predicate is not needed.
func (e Endpoint) Wants(v event.Event) bool {
	if len(e.Types) > 0 && !slices.Contains(e.Types, v.Type) {
		return false
	}
	return e.Predicate == "" || !v.Admin()
}

// Begin returns the endpoint after a start behind the event of the cursor.
func (e Endpoint) Begin(from event.Cursor) Endpoint {
	e.Active, e.From = true, from
	e.Epoch++
	return e
}
