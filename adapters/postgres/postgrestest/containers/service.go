package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest/internal/protocol"
)

// limit is the time for one call. The caller's own limits are shorter.
const limit = 5 * time.Minute

// Service has the methods for package postgrestest. Several calls can be under
// way at a time, one for each container.
type Service struct {
	ctx        context.Context // ends with the input
	mu         sync.Mutex
	engine     *engine
	containers map[string]*postgresContainer // by identifier
}

// Engine looks for the Docker engine. It is called first.
func (s *Service) Engine(_ protocol.None, found *protocol.Engine) error {
	ctx, cancel := context.WithTimeout(s.ctx, limit)
	defer cancel()
	e, err := dockerEngine(ctx)
	if err != nil || e == nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.engine = e
	*found = protocol.Engine{Answers: true, Host: e.host}
	return nil
}

// Describe names the image and its version. It pulls a missing image.
func (s *Service) Describe(_ protocol.None, text *string) error {
	return s.call(func(ctx context.Context, e *engine) (err error) {
		*text, err = e.describe(ctx)
		return err
	})
}

// List returns the containers of tests of all processes.
func (s *Service) List(_ protocol.None, found *[]protocol.Container) error {
	return s.call(func(ctx context.Context, e *engine) (err error) {
		*found, err = e.list(ctx)
		return err
	})
}

// Create creates a container without starting it, and returns its identifier.
func (s *Service) Create(order protocol.Order, id *string) error {
	return s.call(func(ctx context.Context, e *engine) error {
		image, err := e.image(ctx)
		if err != nil {
			return err
		}
		created, err := newContainer(ctx, e, image, order)
		if err != nil {
			return err
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.containers[created.id], *id = created, created.id
		return nil
	})
}

// Start starts a container, and returns without waiting for the server.
func (s *Service) Start(id string, _ *protocol.None) error {
	return s.one(id, (*postgresContainer).start)
}

// Ended returns when the container does not run.
func (s *Service) Ended(id string, _ *protocol.None) error {
	return s.one(id, (*postgresContainer).ended)
}

// Log returns the last lines of the server's log.
func (s *Service) Log(id string, text *string) error {
	return s.one(id, func(c *postgresContainer, ctx context.Context) error {
		*text = c.log(ctx)
		return nil
	})
}

// Signal sends a signal, and returns when the container has ended.
func (s *Service) Signal(signal protocol.Signal, _ *protocol.None) error {
	return s.one(signal.ID, func(c *postgresContainer, ctx context.Context) error { return c.signal(ctx, signal.Name) })
}

// Pause halts every process of a container.
func (s *Service) Pause(id string, _ *protocol.None) error {
	return s.one(id, (*postgresContainer).pause)
}

// Resume lets a paused container go on.
func (s *Service) Resume(id string, _ *protocol.None) error {
	return s.one(id, (*postgresContainer).resume)
}

// Remove removes a container of this process, in any state, with its data.
func (s *Service) Remove(id string, _ *protocol.None) error {
	err := s.one(id, (*postgresContainer).remove)
	if err == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.containers, id)
	}
	return err
}

// RemoveOrphan removes a container of a killed process. Another process
// may be removing it as well.
func (s *Service) RemoveOrphan(id string, _ *protocol.None) error {
	return s.call(func(ctx context.Context, e *engine) error { return e.removeOrphan(ctx, id) })
}

// call calls fn with the engine.
func (s *Service) call(fn func(context.Context, *engine) error) error {
	s.mu.Lock()
	e := s.engine
	s.mu.Unlock()
	if e == nil {
		return errors.New("no Docker engine answers")
	}
	ctx, cancel := context.WithTimeout(s.ctx, limit)
	defer cancel()
	return fn(ctx, e)
}

// one calls fn with a container of this process.
func (s *Service) one(id string, fn func(*postgresContainer, context.Context) error) error {
	s.mu.Lock()
	c := s.containers[id]
	s.mu.Unlock()
	if c == nil {
		return fmt.Errorf("there is no container %q of this process", id)
	}
	return s.call(func(ctx context.Context, _ *engine) error { return fn(c, ctx) })
}

// removeAll removes the remaining containers.
func (s *Service) removeAll(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var failures []error
	for _, id := range slices.Sorted(maps.Keys(s.containers)) {
		failures = append(failures, s.containers[id].remove(ctx))
	}
	return errors.Join(failures...)
}
