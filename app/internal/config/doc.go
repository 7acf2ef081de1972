// Package config holds the settings of the program: what they are called, what
// they mean, what they default to, and which values they can have (D22, D35).
//
// The tags are those of github.com/alecthomas/kong. A setting is a flag and an
// environment variable, whose name is made from the flag's: --metrics-listen is
// PROBLEMS_METRICS_LISTEN. See [Variable].
package config
