package problem

// Merge returns the fields of a change that began with base, on top of those of now (D52): the
// value of the change where it differs from base, and that of now elsewhere. clashes are the
// fields that the change and others since base have set to different values, in the order of
// D1. They keep their value of now.
func Merge(base, change, now Fields) (merged Fields, clashes []*Field) {
	merged = now
	for _, f := range ClientFields() {
		switch {
		case f.Same(&change, &base), f.Same(&change, &now):
		case f.Same(&base, &now):
			f.codec.(clientCodec).copy(&merged, &change)
		default:
			clashes = append(clashes, f)
		}
	}
	return merged, clashes
}
