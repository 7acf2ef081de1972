//go:build !linux && !darwin

package disk

import "errors"

// Of fails with errors.ErrUnsupported: this system does not say.
func Of(string) (Space, error) { return Space{}, errors.ErrUnsupported }

// Writable returns nil: this system does not say.
func Writable(string) error { return nil }
