package pages

import (
	"net/http"

	"github.com/problemtracking/problems/domain/rules"
)

// Error is a kind of error for its page.
type Error struct {
	Slug        string
	Status      int
	Title       string
	Description string
	// Search is true for errors about predicates.
	Search bool
}

// Name returns the name of the status.
func (e Error) Name() string { return http.StatusText(e.Status) }

// Rules returns the rules that name the error.
func (e Error) Rules() []rules.Rule { return rules.Naming(e.Slug) }

// Errors returns the page with all errors.
func (s Site) Errors(all []Error) ([]byte, error) {
	return s.render("errors", "Errors", ErrorsPath, errorList{All: true, Errors: all})
}

// Error returns the page of one error, at the address in its type.
func (s Site) Error(e Error) ([]byte, error) {
	return s.render("errors", e.Title, ErrorsPath+"/"+e.Slug, errorList{Errors: []Error{e}})
}

type errorList struct {
	// All is true on the page of all errors.
	All    bool
	Errors []Error
}
