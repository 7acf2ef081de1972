package mail

import "strings"

// smallPicture is the size below which a picture inside of a text is an icon, in bytes.
const smallPicture = 4 << 10

// Ornament reports whether a picture that the HTML of a reply shows is left out (D42): it is
// small, or the author has not placed it in the text. own is the author's part of the HTML, by
// Written, and place stands there for the picture.
func Ornament(own, place string, bytes int) bool {
	return bytes < smallPicture || !strings.Contains(own, place)
}
