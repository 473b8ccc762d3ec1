// Package certs provides the certificate of the robot's HTTPS server, from an
// authority of the robot's own or from two files. Both follow changes while the
// server runs. Any goroutine may use their TLS configurations.
package certs
