package httpsuite

import "runtime/debug"

// Version returns the version of the module that has the cases, as the program was
// built with it; "(devel)" when it was built from a working copy.
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
