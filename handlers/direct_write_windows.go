package handlers

// canWriteDirectly says whether a socket takes what fits into its send buffer
// without waiting. Sockets of Go on Windows are overlapped and do not.
const canWriteDirectly = false

// writeDirectly writes nothing.
func writeDirectly(uintptr, []byte) int { return 0 }
