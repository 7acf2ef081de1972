// Package config holds the settings of the program: their names, meanings, defaults and
// possible values (D22, D35).
//
// The tags are those of github.com/alecthomas/kong. A setting is a flag and an
// environment variable with a name made from the flag's: --metrics-listen is
// PROBLEMS_METRICS_LISTEN. See [Variable].
package config
