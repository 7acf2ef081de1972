// Package site serves the pages about the API, and the files beside them.
package site
