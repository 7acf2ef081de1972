package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/adapters/httpframe/peer"
)

// Settings are all settings of "problems serve".
type Settings struct {
	Storage     Storage     `embed:"" group:"Store"`
	Server      Server      `embed:"" group:"Server"`
	SignIn      SignIn      `embed:"" group:"Sign-in"`
	Limits      Limits      `embed:"" group:"Limits"`
	Timeouts    Timeouts    `embed:"" group:"Timeouts"`
	Attachments Attachments `embed:"" group:"Attachments"`
	Webhooks    Webhooks    `embed:"" group:"Webhooks"`
	Mail        Mail        `embed:"" group:"E-mail"`
	Clock       Clock       `embed:"" group:"Clock"`
	Insight     Insight     `embed:"" group:"Insight"`
}

// Server has the addresses of the service and its output.
type Server struct {
	Listen             string        `default:"127.0.0.1:8080" placeholder:"HOST:PORT" help:"Address of the service. Port 0 takes a free port. Default: ${default}."`
	BasePath           string        `placeholder:"PATH" help:"Path before /api/20151105 in every path, such as /tracker. A proxy may strip it. Default: none."`
	PublicURL          string        `name:"public-url" placeholder:"URL" help:"Address of the service for people, such as https://tracker.example.org, behind a proxy. Its path is the base path. Default: the address of the listener."`
	MCP                string        `name:"mcp" default:"on" enum:"on,off" placeholder:"WHEN" help:"The Model Context Protocol at /mcp, for models: on or off. Default: ${default}."`
	Web                string        `default:"on" enum:"on,off" placeholder:"WHEN" help:"The pages for browsers: on or off. Default: ${default}."`
	TimeZone           TimeZone      `default:"UTC" placeholder:"ZONE" help:"Time zone of dates, such as Europe/Berlin: a problem is overdue after the last millisecond of its day there, and a milestone or token ends with it. The same for all servers of a store. Default: ${default}."`
	CORSOrigins        []string      `name:"cors-origins" placeholder:"ORIGIN" help:"Origins of web pages with access to the API from a browser, such as https://tracker.example.org, or * for all. Default: none."`
	TLSCert            string        `name:"tls-cert" placeholder:"FILE" help:"Certificate chain in PEM form. With it and its key, the service speaks HTTPS."`
	TLSKey             string        `name:"tls-key" placeholder:"FILE" help:"Private key of the certificate in PEM form."`
	TrustedProxies     peer.Networks `default:"127.0.0.0/8,::1/128" placeholder:"NETWORKS" help:"Networks of reverse proxies, such as 10.0.0.0/8,2001:db8::1, or none. The proxies name the client in --forwarded-header. The limits for one address do not apply to them. Default: ${default}."`
	ForwardedHeader    string        `default:"X-Forwarded-For" enum:"X-Forwarded-For,Forwarded" placeholder:"NAME" help:"Header in which the trusted proxies name the client: X-Forwarded-For or Forwarded. They have to set or extend it in every request. The other one does not count. Default: ${default}."`
	HSTS               time.Duration `name:"hsts" default:"8760h" placeholder:"TIME" help:"Time for which browsers use only https for the host after a visit by https (Strict-Transport-Security), for all ports of the host; 0 to send no such header. Default: ${default}, a year."`
	MetricsListen      string        `placeholder:"HOST:PORT" help:"Address of /metrics for Prometheus, without a token. /healthz and /readyz are there, too: they answer for any number of client connections. Default: off."`
	ProfilesListen     string        `placeholder:"HOST:PORT" help:"Address of the profiles of the process, such as 127.0.0.1:6060, without a token. It has to be an address of this machine alone. Default: off."`
	BootstrapToken     Token         `placeholder:"TOKEN" help:"Token of the first administrator of an empty store, admin@localhost. By default, the service generates and prints one. Better set as a variable: other users of the machine can see flags."`
	BootstrapTokenFile string        `placeholder:"FILE" help:"File with this token. The service reads it at the start."`
	Hints              string        `default:"auto" enum:"auto,always,never" placeholder:"WHEN" help:"When to print the address of the documentation and a first curl line at the start: always, never, or auto for terminals only."`
	LogLevel           LogLevel      `default:"info" placeholder:"LEVEL" help:"Lowest level of log lines on standard error: debug, info (requests), warn or error. Default: ${default}."`
}

// Limits bound the requests of a client, and the size of a problem and of a user's data
// (D22).
type Limits struct {
	Memory           Size `default:"512MiB" placeholder:"SIZE" help:"Memory limit of the server, with the unit KiB, MiB or GiB: at least 8 times --max-problem. Requests above it wait, and fail after some seconds. A store in memory needs additional memory. Default: ${default}."`
	MaxProblem       Size `default:"64MiB" placeholder:"SIZE" help:"Largest problem: its title, keywords, comments and log together. Default: ${default}."`
	MaxBody          Size `default:"1MiB" placeholder:"SIZE" help:"Largest body of a request, in bytes or with the unit KiB or MiB, up to 8MiB. Default: ${default}."`
	MaxHeaders       Size `default:"32KiB" placeholder:"SIZE" help:"Largest total of a request's headers. Default: ${default}."`
	MaxDepth         int  `default:"32" placeholder:"N" help:"Deepest nesting of JSON. Default: ${default}."`
	MaxKeywords      int  `default:"1000" placeholder:"N" help:"Most keywords of one problem. Default: ${default}."`
	MaxWatchers      int  `default:"1000" placeholder:"N" help:"Most watchers of one problem. Default: ${default}."`
	MaxRelationships int  `default:"1000" placeholder:"N" help:"Most relationships of one problem. Default: ${default}."`
	MaxQueries       int  `default:"1000" placeholder:"N" help:"Most saved queries of one user. Default: ${default}."`
	MaxMilestones    int  `default:"10000" placeholder:"N" help:"Most milestones. Default: ${default}."`
	MaxStreams       int  `default:"2000" placeholder:"N" help:"Most streams of events and waiting polls at a time. One user can have half of them. Default: ${default}."`
	MaxRate          int  `default:"0" placeholder:"N" help:"Most requests per minute with one token; 0 for any number. Default: ${default}."`

	KeepEvents time.Duration `default:"0s" placeholder:"TIME" help:"Time to keep events in the feed, such as 720h; 0 for ever. Default: ${default}."`

	MaxAddressRate        int `default:"600" placeholder:"N" help:"Most requests per minute from one address without a valid token; 0 for any number. A /64 of IPv6 is one address. Default: ${default}."`
	MaxConnections        int `default:"4096" placeholder:"N" help:"Most connections of clients at a time. An eighth is reserved for trusted proxies. Default: ${default}, or fewer by the limit of open files."`
	MaxAddressConnections int `default:"256" placeholder:"N" help:"Most connections from one address at a time; 0 for any number. Default: ${default}."`
}

// Timeouts bound all durations. Those for clients can be 0: no bound.
type Timeouts struct {
	RequestTimeout  time.Duration `default:"30s" placeholder:"TIME" help:"Limit for one request as a whole, such as 30s or 1m. Default: ${default}."`
	HeaderTimeout   time.Duration `default:"10s" placeholder:"TIME" help:"Time for the headers of a request to arrive; 0 for --read-timeout. Default: ${default}."`
	ReadTimeout     time.Duration `default:"30s" placeholder:"TIME" help:"Time for a whole request to arrive; 0 for no limit. Default: ${default}."`
	WriteTimeout    time.Duration `default:"2m" placeholder:"TIME" help:"Time from the end of a request's headers to the end of its answer, and longer for a client that takes 200 kbit/s; 0 for no limit. Default: ${default}."`
	IdleTimeout     time.Duration `default:"2m" placeholder:"TIME" help:"Time to keep an idle connection open; 0 for --read-timeout. Default: ${default}."`
	RereadInterval  time.Duration `default:"10s" placeholder:"TIME" help:"Time between checks for a changed certificate or password file; 0 for SIGHUP only. Default: ${default}."`
	ShutdownTimeout time.Duration `default:"20s" placeholder:"TIME" help:"Time for running requests to end when the service stops. Default: ${default}."`
}

// Variable returns the name of the environment variable of a flag.
func Variable(flag string) string {
	return "PROBLEMS_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// DefaultDataDir returns the directory for the data of this program by the XDG
// Base Directory Specification; "" when the environment does not say.
func DefaultDataDir(getenv func(string) string) string {
	if dir := getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "problems")
	}
	if home := getenv("HOME"); home != "" {
		return filepath.Join(home, ".local", "share", "problems")
	}
	return ""
}

// AfterApply is called by kong once all flags are set. It checks the combinations of
// settings.
func (s *Server) AfterApply(f *Faults) error { return f.Add(s.faults()...) }

// faults returns all faults. It brings the origins, the base path and the public URL into
// their normal form.
func (s *Server) faults() (faults []error) {
	faults = append(faults, checkAddress("--listen", s.Listen))
	if s.MetricsListen != "" {
		faults = append(faults, checkAddress("--metrics-listen", s.MetricsListen))
	}
	if s.ProfilesListen != "" {
		faults = append(faults, checkLocal("--profiles-listen", s.ProfilesListen))
	}
	if s.HSTS < 0 {
		faults = append(faults, errors.New("--hsts cannot be negative"))
	}
	if (s.TLSCert == "") != (s.TLSKey == "") {
		faults = append(faults, errors.New("--tls-cert and --tls-key are needed together"))
	}
	if s.BootstrapToken.Given() && s.BootstrapTokenFile != "" {
		faults = append(faults, errors.New("--bootstrap-token and --bootstrap-token-file exclude each other"))
	}
	normal, err := origins(s.CORSOrigins)
	if err != nil {
		faults = append(faults, err)
	} else {
		s.CORSOrigins = normal
	}
	s.BasePath = strings.TrimRight(s.BasePath, "/")
	if err := httpframe.CheckBasePath(s.BasePath); err != nil {
		return append(faults, fmt.Errorf("--base-path has %w", err))
	}
	return append(faults, s.checkPublicURL())
}

// Bootstrap returns the token of the first administrator, also from a file; the zero Token
// without one.
func (s *Server) Bootstrap() (Token, error) { return ReadToken(s.BootstrapToken, s.BootstrapTokenFile) }

// AfterApply is called by kong once all flags are set.
func (l *Limits) AfterApply(f *Faults) error { return f.Add(l.faults()...) }

func (l *Limits) faults() (faults []error) {
	for _, limit := range []struct {
		flag  string
		value int64
	}{
		{"--max-body", int64(l.MaxBody)}, {"--max-headers", int64(l.MaxHeaders)}, {"--max-depth", int64(l.MaxDepth)},
		{"--max-keywords", int64(l.MaxKeywords)}, {"--max-watchers", int64(l.MaxWatchers)}, {"--max-relationships", int64(l.MaxRelationships)}, {"--max-queries", int64(l.MaxQueries)}, {"--max-milestones", int64(l.MaxMilestones)}, {"--max-streams", int64(l.MaxStreams)},
		{"--max-connections", int64(l.MaxConnections)},
	} {
		if limit.value < 1 {
			faults = append(faults, fmt.Errorf("%s has to be at least 1", limit.flag))
		}
	}
	if l.MaxBody > 8<<20 {
		faults = append(faults, errors.New("--max-body has to be at most 8MiB: lines of archives have to hold what was sent"))
	}
	if l.MaxProblem/4 < l.MaxBody {
		faults = append(faults, errors.New("--max-problem has to be at least 4 times --max-body, because the log keeps the sent texts, too"))
	}
	if l.Memory/8 < l.MaxProblem {
		faults = append(faults, errors.New("--memory has to be at least 8 times --max-problem"))
	}
	if l.MaxHeaders < 4<<10 {
		faults = append(faults, errors.New("--max-headers has to be at least 4KiB: tokens and conditions have to fit"))
	}
	if l.MaxHeaders > 16<<20 {
		faults = append(faults, errors.New("--max-headers has to be at most 16MiB: each connection may use that much memory"))
	}
	if l.MaxDepth > 1000 {
		faults = append(faults, errors.New("--max-depth has to be at most 1000"))
	}
	for _, limit := range []struct {
		flag  string
		value int
	}{{"--max-rate", l.MaxRate}, {"--max-address-rate", l.MaxAddressRate}, {"--max-address-connections", l.MaxAddressConnections}} {
		if limit.value < 0 {
			faults = append(faults, fmt.Errorf("%s cannot be negative", limit.flag))
		}
	}
	if l.KeepEvents < 0 {
		faults = append(faults, errors.New("--keep-events cannot be negative"))
	}
	return faults
}

// AfterApply is called by kong once all flags are set.
func (t *Timeouts) AfterApply(f *Faults) error { return f.Add(t.faults()...) }

func (t *Timeouts) faults() (faults []error) {
	for _, timeout := range []struct {
		flag  string
		value time.Duration
	}{
		{"--request-timeout", t.RequestTimeout}, {"--header-timeout", t.HeaderTimeout}, {"--read-timeout", t.ReadTimeout},
		{"--write-timeout", t.WriteTimeout}, {"--idle-timeout", t.IdleTimeout}, {"--shutdown-timeout", t.ShutdownTimeout},
		{"--reread-interval", t.RereadInterval},
	} {
		if timeout.value < 0 {
			faults = append(faults, fmt.Errorf("%s cannot be negative", timeout.flag))
		}
	}
	if t.RequestTimeout == 0 || t.ShutdownTimeout == 0 {
		faults = append(faults, errors.New("--request-timeout and --shutdown-timeout have to be more than 0"))
	}
	return faults
}
