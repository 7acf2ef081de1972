package config

import (
	"errors"
	"regexp"
	"slices"
)

// Faults takes the faults of settings while the command line is read. The zero Faults
// ends this at the first group of settings with a fault.
type Faults struct {
	gathers bool
	all     []error
}

// Gather has all faults kept, and the reading goes on after each of them.
func (f *Faults) Gather() { f.gathers = true }

// Gathers reports whether Gather was called.
func (f *Faults) Gathers() bool { return f.gathers }

// Add takes faults. It returns them as one error, unless they are kept.
func (f *Faults) Add(faults ...error) error {
	if !f.gathers {
		return errors.Join(faults...)
	}
	f.all = append(f.all, slices.DeleteFunc(faults, func(err error) bool { return err == nil })...)
	return nil
}

// All returns the faults that were kept.
func (f *Faults) All() []error { return f.all }

// flagName is the name of a flag in a sentence.
var flagName = regexp.MustCompile(`--[a-z][a-z0-9-]*`)

// ByVariable returns a sentence with the variables of settings in place of their flags.
// known are the names of all variables.
func ByVariable(sentence string, known []string) string {
	return flagName.ReplaceAllStringFunc(sentence, func(flag string) string {
		if name := Variable(flag[2:]); slices.Contains(known, name) {
			return name
		}
		return flag
	})
}
