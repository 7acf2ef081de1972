package postgres

import "context"

// FillParts makes the index of parts whole.
func (s *Store) FillParts(ctx context.Context) error {
	for {
		if more, err := s.addParts(ctx, 0); err != nil || !more {
			return err
		}
	}
}
