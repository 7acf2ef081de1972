package config

import (
	"errors"
	"log/slog"
	"strings"
)

// LogLevel is the lowest level of logged lines.
type LogLevel struct{ slog.Level }

// UnmarshalText reads the name of a level, in any case.
func (l *LogLevel) UnmarshalText(text []byte) error {
	switch strings.ToLower(string(text)) {
	case "debug", "info", "warn", "error":
		return l.Level.UnmarshalText(text)
	}
	return errors.New("expected debug, info, warn or error")
}

// String returns the name in lower case, as the help shows it.
func (l LogLevel) String() string { return strings.ToLower(l.Level.String()) }
