package session

import "testing"

func TestPointers(t *testing.T) {
	t.Parallel()
	value := Normal(Raw(`{"a/b":[1,{"c~d":"x"}]}`))
	for pointer, want := range map[string]any{
		"/a~1b/1/c~0d": "x", "/a~1b/last/c~0d": "x", "/a~1b/2": nil, "/nope/1": nil,
	} {
		if got := At(value, pointer); got != want {
			t.Errorf("at %s is %v, want %v", pointer, got, want)
		}
	}
}
