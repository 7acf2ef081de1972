// Package feed has the cases of the feed of events.
package feed
