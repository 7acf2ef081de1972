package main

import (
	"context"
	"debug/buildinfo"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// machine describes the machine, the program and the settings of a run.
type machine struct {
	Commit   string            `json:"commit"`  // as git describes it
	Version  string            `json:"version"` // as the binary calls itself
	Go       string            `json:"go"`      // that has built the binary
	CPU      string            `json:"cpu"`
	CPUs     int               `json:"cpus"`
	Kernel   string            `json:"kernel"`
	Postgres string            `json:"postgres,omitempty"`
	Began    time.Time         `json:"began"`
	Ended    time.Time         `json:"ended"`
	Flags    map[string]string `json:"flags"`
}

const unknown = "unknown"

// describe describes the machine and the program.
func describe(ctx context.Context, binary string, flags *flag.FlagSet) (machine, error) {
	info, err := buildinfo.ReadFile(binary)
	if errors.Is(err, os.ErrNotExist) {
		return machine{}, fmt.Errorf("there is no %s: make build makes it, and -problems-binary names another one", binary)
	}
	if err != nil {
		return machine{}, err
	}
	m := machine{Go: info.GoVersion, CPU: unknown, CPUs: runtime.NumCPU(), Kernel: runtime.GOOS, Began: time.Now().UTC(), Flags: map[string]string{}}
	m.Commit = says(ctx, "git", "describe", "--tags", "--always", "--dirty")
	m.Version = says(ctx, binary, "version")
	if release, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		m.Kernel += " " + strings.TrimSpace(string(release))
	}
	if cpus, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(cpus)) {
			if name, value, _ := strings.Cut(line, ":"); strings.TrimSpace(name) == "model name" {
				m.CPU = strings.TrimSpace(value)
			}
		}
	}
	flags.VisitAll(func(f *flag.Flag) {
		m.Flags[f.Name] = f.Value.String()
		if f.Name == "postgres" && f.Value.String() != "" {
			m.Flags[f.Name] = "given" // it may hold a password
		}
	})
	return m, nil
}

// says returns the first line of a program's output.
func says(ctx context.Context, name string, args ...string) string {
	out, err := exec.CommandContext(ctx, name, args...).Output()
	line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	if err != nil || line == "" {
		return unknown
	}
	return line
}
