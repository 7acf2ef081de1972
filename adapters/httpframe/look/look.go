// Package look has the common look of the pages of all HTTP adapters: their colours, their
// letters, and the frame of a page.
package look

import _ "embed" // the files

var (
	//go:embed base.css
	style string
	//go:embed icon.svg
	icon string
)

// Style returns the style sheet below that of an adapter. It declares the layers base,
// layout and parts, and fills the first two: an adapter fills parts.
func Style() string { return style }

// Icon returns the picture of the service, as SVG.
func Icon() string { return icon }
