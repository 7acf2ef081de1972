package pages

// Index returns the page at the root. The paths of the API begin with api.
func (s Site) Index(api string) ([]byte, error) {
	return s.render("index", "Index", "/", struct{ API string }{api})
}
