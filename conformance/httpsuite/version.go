package httpsuite

import "runtime/debug"

// Version returns the version of this module in the program; "(devel)" for a working
// copy.
func Version() string {
	const path = "github.com/problemtracking/problems/conformance"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(devel)"
	}
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path == path && m.Replace == nil && m.Version != "" {
			return m.Version
		}
	}
	return "(devel)"
}
