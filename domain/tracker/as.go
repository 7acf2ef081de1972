package tracker

import "github.com/problemtracking/problems/domain/tracker/internal/core"

// Reader reads on behalf of a caller.
type Reader struct {
	s      *Service
	caller Caller
	reads  core.Reads // of the caller, in a View
}

// As returns the Reader of a caller. The zero Caller is the service itself.
func (s *Service) As(caller Caller) Reader { return Reader{s, caller, s.core.As(caller.User)} }
