// Package certs is where the certificate of the robot's HTTPS server comes from: an
// authority of the robot's own, or two files. Both follow what changes while the
// server runs; their TLS configurations may be used from any goroutine.
package certs
