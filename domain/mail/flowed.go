package mail

import "strings"

// Unflow returns a text of format=flowed (RFC 3676) with its paragraphs as single lines. Each
// quoted line begins with its marks ">" and a space. joined is the parameter DelSp: a space at
// the end of a line belongs to the format, and not to the text.
func Unflow(text string, joined bool) string {
	var out strings.Builder
	open := -1 // the depth of the line to go on with; -1: none
	for i, line := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		rest := strings.TrimLeft(line, ">")
		depth := len(line) - len(rest)
		rest = strings.TrimPrefix(rest, " ") // stuffed
		signature := rest == "-- "
		if open != depth || signature || rest == "" {
			if i > 0 {
				out.WriteByte('\n')
			}
			if depth > 0 {
				out.WriteString(strings.Repeat(">", depth) + " ")
			}
		}
		open = -1
		if strings.HasSuffix(rest, " ") && !signature {
			open = depth
			if joined {
				rest = rest[:len(rest)-1]
			}
		}
		out.WriteString(rest)
	}
	return out.String()
}
