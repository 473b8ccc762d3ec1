package handlers

// canWriteDirectly says whether a non-blocking write can fill a socket's send
// buffer. Go's sockets on Windows are overlapped and cannot do so.
const canWriteDirectly = false

// writeDirectly writes nothing.
func writeDirectly(uintptr, []byte) int { return 0 }
