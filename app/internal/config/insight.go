package config

import (
	"errors"
	"net/url"
	"time"
)

// Insight has the ways to see what the service does, beside its log and its metrics.
type Insight struct {
	TracesURL      string        `name:"traces-url" placeholder:"URL" help:"OpenTelemetry collector for traces by OTLP over HTTP, such as http://127.0.0.1:4318. Default: no traces."`
	TracesRatio    float64       `default:"1" placeholder:"RATIO" help:"Traced part of the requests, from 0 to 1. A request with the header traceparent continues the trace of its client. Default: ${default}."`
	FlightRecorder time.Duration `default:"0s" placeholder:"TIME" help:"Length of the execution trace in memory, such as 10s, for /debug/flight at --metrics-listen; 0 for none. Default: ${default}."`
}

// faults returns all faults. metrics is the address of the metrics; "" without one.
func (i *Insight) faults(metrics string) (faults []error) {
	if i.TracesURL != "" {
		if u, err := url.Parse(i.TracesURL); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil {
			faults = append(faults, errors.New("--traces-url has to be a URL such as http://127.0.0.1:4318"))
		}
	}
	if !(i.TracesRatio >= 0 && i.TracesRatio <= 1) {
		faults = append(faults, errors.New("--traces-ratio has to be between 0 and 1"))
	}
	if i.FlightRecorder < 0 {
		faults = append(faults, errors.New("--flight-recorder cannot be negative"))
	}
	if i.FlightRecorder > 0 && metrics == "" {
		faults = append(faults, errors.New("--flight-recorder needs --metrics-listen: there is its page"))
	}
	return faults
}
