package config

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"
)

// Insight has the ways to see what the service does, beside its log and its metrics.
type Insight struct {
	TracesURL       TracesURL     `name:"traces-url" placeholder:"URL" help:"OpenTelemetry collector for traces by OTLP over HTTP, such as http://127.0.0.1:4318. Default: no traces."`
	TracesRatio     float64       `default:"1" placeholder:"RATIO" help:"Traced part of the requests, from 0 to 1. A request with the header traceparent continues the trace of its client. Default: ${default}."`
	FlightRecorder  time.Duration `default:"0s" placeholder:"TIME" help:"Length of the execution trace in memory, such as 10s, for /debug/flight at --profiles-listen; 0 for none. Default: ${default}."`
	BackupDirectory string        `placeholder:"DIR" help:"Directory of the copies by \"problems backup\": the metrics have the time of the newest one. Default: none."`
}

// TracesURL is the URL of a collector. Its query may have a key: it is hidden from every verb of
// package fmt, and so from logs.
type TracesURL struct{ text string }

// UnmarshalText reads a URL. The empty text is none. An error repeats nothing of the URL.
func (t *TracesURL) UnmarshalText(text []byte) error {
	*t = TracesURL{}
	if len(text) == 0 {
		return nil
	}
	u, err := url.Parse(string(text))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.Fragment != "" {
		return errors.New("has to be a URL such as http://127.0.0.1:4318")
	}
	t.text = string(text)
	return nil
}

// Given reports whether there is a collector.
func (t TracesURL) Given() bool { return t.text != "" }

// Secret reports whether the URL has a query.
func (t TracesURL) Secret() bool { return t.String() != t.text }

// Reveal returns the URL with its query.
func (t TracesURL) Reveal() string { return t.text }

// Format writes the URL with a mask in place of its query.
func (t TracesURL) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, t.String()) }

// String returns the URL with a mask in place of its query.
func (t TracesURL) String() string {
	if before, query, _ := strings.Cut(t.text, "?"); query != "" {
		return before + "?…"
	}
	return t.text
}

// faults returns all faults. profiles is the address of the profiles; "" without one.
func (i *Insight) faults(profiles string) (faults []error) {
	if !(i.TracesRatio >= 0 && i.TracesRatio <= 1) {
		faults = append(faults, errors.New("--traces-ratio has to be between 0 and 1"))
	}
	if i.FlightRecorder < 0 {
		faults = append(faults, errors.New("--flight-recorder cannot be negative"))
	}
	if i.FlightRecorder > 0 && profiles == "" {
		faults = append(faults, errors.New("--flight-recorder needs --profiles-listen: there is its page"))
	}
	return faults
}
