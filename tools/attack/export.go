package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

var exportAttacks = []attack{
	{name: "export", short: true, title: "problems export beside {many} loads of the many keywords", prepare: prepareKeywords, run: func(s *stage) {
		exported := make(chan struct{})
		go func() {
			defer close(exported)
			s.export()
		}()
		s.storm(s.sizes.many, same(get("/problems/%d", s.id(manyKeywords))))
		<-exported
	}, without: inMemory},
}

// exportPatience is how long an export may take.
const exportPatience = 2 * time.Minute

// export runs an export until the attack ends, and notes its memory.
func (s *stage) export() {
	path := filepath.Join(s.program.Home, "export.jsonl")
	defer func() { _ = os.Remove(path) }() // an aborted export leaves none
	for n := 1; s.ctx.Err() == nil && s.exportOnce(path, n == 1); n++ {
		s.tally.add("exported")
	}
}

// exportOnce reports whether an export succeeded. It runs to its end, also after the
// attack.
func (s *stage) exportOnce(path string, first bool) bool {
	ctx, cancel := context.WithTimeout(s.whole, exportPatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.program.Path, "export", "--to", path)
	cmd.Env = s.program.Environment(s.place.url)
	if err := cmd.Start(); err != nil {
		s.tally.addWrong("problems export: %v", err)
		return false
	}
	watch, watchErr := newSampler(ctx, cmd.Process.Pid, s.guard, func() { _ = cmd.Process.Kill() })
	err := cmd.Wait()
	if watchErr == nil {
		watch.stop()
		if first || err != nil {
			s.note("export took %d MiB itself", watch.peak/mebibyte)
		}
	}
	if err != nil {
		s.tally.addWrong("problems export: %v", err)
		return false
	}
	return true
}
