package serve

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"go.uber.org/fx"

	"github.com/problemtracking/problems/adapters/httpapi"
	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/adapters/httpframe/peer"
	"github.com/problemtracking/problems/adapters/mcp"
	"github.com/problemtracking/problems/adapters/web"
	"github.com/problemtracking/problems/app/backend"
	"github.com/problemtracking/problems/app/internal/config"
	"github.com/problemtracking/problems/app/internal/diagnose"
	"github.com/problemtracking/problems/app/internal/mailworker"
	"github.com/problemtracking/problems/app/internal/metrics"
	"github.com/problemtracking/problems/app/internal/outage"
	"github.com/problemtracking/problems/app/internal/tracing"
	"github.com/problemtracking/problems/app/internal/webhookworker"
	"github.com/problemtracking/problems/domain/budget"
	"github.com/problemtracking/problems/domain/tracker/usecases"
)

// httpModule serves the API, and the metrics on a listener of their own.
var httpModule = fx.Module("http",
	fx.Provide(newMemory, newStopping, newStreams, newHandler, newCodes, func(lc fx.Lifecycle, o Options, logger *slog.Logger) *throttles {
		limits := newThrottles(logger, o.Now)
		lc.Append(fx.StopHook(limits.sum))
		return limits
	}),
	fx.Invoke(serveAll),
)

// stopping ends when the API begins to stop. Streams end with it: they would hold up the
// stop until its time limit.
type stopping struct {
	context.Context
	begin context.CancelFunc
}

func newStopping() stopping {
	ctx, cancel := context.WithCancel(context.Background())
	return stopping{ctx, cancel}
}

// newStreams returns the limits of streams.
func newStreams(o Options, m *metrics.Metrics) *httpapi.Streams {
	lag, most := metrics.NewEventLag(), o.Settings.Limits.MaxStreams
	streams := httpapi.NewStreams(most, max(1, most/2), func(age time.Duration) { lag.Observe(age.Seconds()) })
	m.Events(streams.Open, streams.Sent, lag)
	return streams
}

// newCodes returns the codes of the link for the first sign-in.
func newCodes() *web.Codes { return &web.Codes{} }

// handling is what requests need.
type handling struct {
	fx.In

	Options Options
	Logger  *slog.Logger
	Metrics *metrics.Metrics
	Traces  *tracing.Tracer // nil: there are none
	Outages *outage.Log

	Store     *handle
	Service   *usecases.All
	Memory    *budget.Budget
	Throttles *throttles
	Streams   *httpapi.Streams
	Stopping  stopping
	Codes     *web.Codes
}

// newHandler returns the handler of the API, and of the client application unless it is off.
func newHandler(h handling) (http.Handler, error) {
	settings := h.Options.Settings
	requests := newAccessLog(h.Logger, h.Options.Stderr, h.Options.Now, h.Throttles)
	observe := func(x httpframe.Exchange) {
		h.Metrics.Request(x.Route, x.Method, x.Status, x.Duration)
		h.Traces.Request(x)
		if x.Replayed {
			h.Metrics.Replayed()
		}
		// An outage has a line of its own, instead of one for each request.
		if x.Status != http.StatusServiceUnavailable || !h.Outages.Quiet() {
			requests.write(x)
		}
	}
	quiet := func() bool { return h.Outages.Ongoing() || h.Service.ClockRefused() }
	logger := h.Throttles.causes.logger(h.Logger)
	api := apiOptions(h.Options)
	api.Service, api.Memory, api.Streams, api.Stopping = h.Service, h.Memory, h.Streams, h.Stopping
	api.Logger, api.Observe, api.Quiet = logger, observe, quiet
	api.Opened = func(ctx context.Context) error {
		_, err := h.Store.store(ctx) // the writes of the seed prove to Service that the store works
		return err
	}
	handler, err := httpapi.New(api)
	if err != nil {
		return nil, err
	}
	serves := func(next http.Handler) http.Handler {
		if settings.Server.MCP == "off" {
			return next
		}
		return besides(settings.Server.BasePath+mcp.Path, mcp.Handler(mcp.Options{
			API: handler, BasePath: settings.Server.BasePath, Version: h.Options.Version, MostBody: int64(settings.Limits.MaxBody),
			Frame: httpframe.Options{
				RequestTime: api.Limits.RequestTime, Memory: h.Memory, Logger: logger, Quiet: quiet, NewRequestID: api.NewRequestID, Now: api.Now,
			},
		}), next)
	}
	if settings.Server.Web == "off" {
		return h.Metrics.UnderWay(h.Traces.Handler(strict(settings.Server, serves(handler)))), nil
	}
	client := webOptions(h.Options)
	client.Service, client.Memory, client.Codes, client.Stream, client.Stopping = h.Service, h.Memory, h.Codes, h.Streams.Acquire, h.Stopping
	client.Logger, client.Observe, client.Quiet = logger, observe, quiet
	if client.OpenID, err = newOpenID(settings.SignIn, h.Traces); err != nil {
		return nil, err
	}
	pages, err := web.New(client)
	if err != nil {
		return nil, err
	}
	return h.Metrics.UnderWay(h.Traces.Handler(strict(settings.Server, serves(both(handler, pages))))), nil
}

// strict returns a handler that has browsers use only https for the host, if they use it (D34).
func strict(s config.Server, next http.Handler) http.Handler {
	if !s.Secure() || s.HSTS == 0 {
		return next
	}
	value := fmt.Sprintf("max-age=%d", int64(s.HSTS.Seconds()))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Strict-Transport-Security", value)
		next.ServeHTTP(w, r)
	})
}

// proxies returns the proxies that may name the client of a request.
func proxies(s config.Server) peer.Proxies {
	return peer.Proxies{Networks: s.TrustedProxies, Header: s.ForwardedHeader}
}

// apiOptions returns the options of the API that are settings.
func apiOptions(o Options) httpapi.Options {
	settings := o.Settings
	return httpapi.Options{
		Limits: httpapi.Limits{
			BodyBytes:     int64(settings.Limits.MaxBody),
			JSONDepth:     settings.Limits.MaxDepth,
			RequestTime:   settings.Timeouts.RequestTimeout,
			RatePerMinute: settings.Limits.MaxRate,

			AddressRatePerMinute: settings.Limits.MaxAddressRate,
		},
		TrustedProxies: proxies(settings.Server),
		BasePath:       settings.Server.BasePath,
		CORSOrigins:    settings.Server.CORSOrigins,
		Origin:         settings.Server.Reached(),
		Version:        o.Version,
		NewRequestID:   o.NewRequestID,
		Now:            o.Now,
	}
}

// webOptions returns the options of the client application that are settings.
func webOptions(o Options) web.Options {
	settings := o.Settings
	return web.Options{
		Proxy:          newProxy(settings.SignIn),
		Mail:           settings.Mail.MailURL.Given(),
		Random:         o.Random,
		BasePath:       settings.Server.BasePath,
		Origin:         settings.Server.Origin(),
		Secure:         settings.Server.Secure(),
		TrustedProxies: proxies(settings.Server),
		Limits: web.Limits{
			FormBytes:     int64(settings.Limits.MaxBody),
			RequestTime:   settings.Timeouts.RequestTimeout,
			RatePerMinute: settings.Limits.MaxRate,

			AddressRatePerMinute: settings.Limits.MaxAddressRate,
		},
		NewRequestID: o.NewRequestID,
		Now:          o.Now,
	}
}

// besides returns a handler with another one at a single path.
func besides(path string, at, others http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == path {
			at.ServeHTTP(w, r)
			return
		}
		others.ServeHTTP(w, r)
	})
}

// both returns a handler for the API and the client application.
func both(api http.Handler, pages *web.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if pages.Serves(r) {
			pages.ServeHTTP(w, r)
			return
		}
		api.ServeHTTP(w, r)
	})
}

// newAdmission returns the limits of connections to the API.
func newAdmission(o Options, m *metrics.Metrics, logger *slog.Logger) *admission {
	settings, files := o.Settings, openFiles()
	most := mostConnections(settings, files)
	if most < settings.Limits.MaxConnections {
		logger.Warn("the limit of open files allows fewer connections than the setting", "connections", most, "files", files)
	}
	a := &admission{
		connections: peer.NewConnections(most, settings.Limits.MaxAddressConnections, settings.Server.TrustedProxies),
		logger:      logger,
		now:         o.Now,
		refused:     func(bound peer.Bound) { m.ConnectionRefused(string(bound)) },
		slots:       make(chan struct{}, refusals),
	}
	if settings.Server.TLSCert == "" {
		a.answer = func() []byte { return httpapi.Crowded(settings.Server.BasePath, o.NewRequestID()) }
	}
	m.Connected(a.connections.Count)
	return a
}

// newAPI returns the endpoint of the API. The logger gets the errors of connections.
func newAPI(settings config.Settings, handler http.Handler, admission *admission, logger *slog.Logger) *endpoint {
	var open func() int
	if admission != nil {
		open = admission.connections.Count
	}
	return &endpoint{
		admission: admission,
		open:      open,
		address:   settings.Server.Listen,
		server: &http.Server{
			Handler:           handler,
			ReadHeaderTimeout: settings.Timeouts.HeaderTimeout,
			ReadTimeout:       settings.Timeouts.ReadTimeout,
			WriteTimeout:      settings.Timeouts.WriteTimeout,
			IdleTimeout:       settings.Timeouts.IdleTimeout,
			MaxHeaderBytes:    int(settings.Limits.MaxHeaders),
			// A connection of HTTP/2 without a reader cannot even carry the end of one of its
			// streams. Their handlers would wait for ever.
			HTTP2: &http.HTTP2Config{MaxConcurrentStreams: httpframe.MostStreams, WriteByteTimeout: httpframe.PieceTime},
			// OPTIONS * is answered, logged and counted like everything else.
			DisableGeneralOptionsHandler: true,
			ErrorLog:                     slog.NewLogLogger(logger.Handler(), slog.LevelWarn),
		},
	}
}

// newMetricsPage returns the endpoint for Prometheus. The health checks are here too,
// since clients can use up the connections of the other endpoint. The logger gets the
// errors of connections.
func newMetricsPage(settings config.Settings, api http.Handler, m *metrics.Metrics, logger *slog.Logger) *endpoint {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", forOperators(settings.Server, m.Handler()))
	mux.Handle("GET /healthz", api)
	mux.Handle("GET /readyz", api)
	return newInsight(settings.Server.MetricsListen, mux, logger)
}

// forOperators refuses requests to other hosts than this one. A page of a foreign site in a
// browser of the network can name its own host as this server, but neither an address nor a
// name without a dot.
func forOperators(server config.Server, pages http.Handler) http.Handler {
	listen, _, _ := net.SplitHostPort(server.MetricsListen)
	public, err := url.Parse(server.PublicURL)
	if err != nil {
		public = new(url.URL)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := (&url.URL{Host: r.Host}).Hostname()
		_, err := netip.ParseAddr(host)
		if err != nil && strings.Contains(host, ".") && !strings.EqualFold(host, listen) && !strings.EqualFold(host, public.Hostname()) {
			http.Error(w, "this host is not known here: name the server by its address, or name the host in PROBLEMS_METRICS_LISTEN", http.StatusMisdirectedRequest)
			return
		}
		pages.ServeHTTP(w, r)
	})
}

// newProfiles returns the endpoint for profiles. The logger gets the errors of connections.
func newProfiles(settings config.Settings, recorder *diagnose.Recorder, logger *slog.Logger) *endpoint {
	return newInsight(settings.Server.ProfilesListen, diagnose.Handler(recorder), logger)
}

// newInsight returns an endpoint for operators.
func newInsight(address string, pages http.Handler, logger *slog.Logger) *endpoint {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		httpframe.Secure(w.Header())
		pages.ServeHTTP(w, r)
	})
	return &endpoint{
		address: address,
		server: &http.Server{
			Handler:      handler,
			ReadTimeout:  10 * time.Second,
			WriteTimeout: time.Minute,
			ErrorLog:     slog.NewLogLogger(logger.Handler(), slog.LevelWarn),
		},
	}
}

// parts are the parts of the service that the start brings together.
type parts struct {
	fx.In

	Options Options
	Logger  *slog.Logger
	Broken  breakdown
	Metrics *metrics.Metrics
	Outages *outage.Log

	Store   *handle
	Service *usecases.All

	Memory    *budget.Budget
	Files     *files
	Throttles *throttles
	Handler   http.Handler
	Streams   *httpapi.Streams
	Stopping  stopping
	Codes     *web.Codes

	Webhooks *webhookworker.Worker
	Mail     *mailworker.Worker // nil: there is none
	Replies  *replies           // nil: there are none
}

// serveAll registers the steps of the start, in order, after the store was opened; fx
// undoes them in reverse at the end, before the store is closed.
func serveAll(lc fx.Lifecycle, p parts) {
	settings := p.Options.Settings
	connections := p.Throttles.connections.logger(p.Logger)
	api := newAPI(settings, p.Handler, newAdmission(p.Options, p.Metrics, connections), connections)
	api.listener = p.Options.Listener
	api.server.RegisterOnShutdown(p.Stopping.begin)
	if settings.Server.TLSCert != "" {
		api.files = p.Files
		p.Metrics.Certificate(p.Files.certificateEnd)
	}
	api.streams = p.Streams
	endpoints := []*endpoint{api}
	if settings.Server.MetricsListen != "" {
		endpoints = append(endpoints, newMetricsPage(settings, p.Handler, p.Metrics, connections))
	}
	if settings.Server.ProfilesListen != "" {
		var recorder *diagnose.Recorder
		if window := settings.Insight.FlightRecorder; window > 0 {
			recorder = diagnose.NewRecorder(window)
			lc.Append(fx.StartStopHook(recorder.Start, recorder.Stop))
		}
		endpoints = append(endpoints, newProfiles(settings, recorder, connections))
	}
	// Listen first: with the port in use, the token of a first administrator would never
	// be shown.
	for _, e := range endpoints {
		lc.Append(fx.Hook{
			OnStart: e.listen,
			OnStop: func(ctx context.Context) error {
				return e.drain(ctx, settings.Timeouts.ShutdownTimeout, p.Logger)
			},
		})
	}
	if p.Replies != nil {
		lc.Append(fx.StartStopHook(p.Replies.listen, p.Replies.drain))
	}
	keeper := &housekeeper{service: p.Service, logger: p.Logger, now: p.Options.Now, ran: p.Metrics.Housekept, swept: p.Metrics.FilesSwept}
	eraser := p.Service.Erasures.NewWorker(!settings.Storage.Store.Is(backend.Shared), p.Memory)
	works := []func(context.Context){p.Webhooks.Run, keeper.run, keeper.recordUses, func(ctx context.Context) { p.erase(ctx, eraser) }}
	if p.Mail != nil {
		works = append(works, p.Mail.Run)
	}
	s := &opening{
		parts: p, api: api, endpoints: endpoints, works: works,
		seeder: seeder{given: settings.Server.BootstrapToken}, printer: &printer{to: p.Options.Stdout},
	}
	lc.Append(fx.Hook{OnStart: s.start, OnStop: s.stop})
}
