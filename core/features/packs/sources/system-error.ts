/**
 * Returns true if the operating system has refused an operation, for example because the disk is full. The content that is being read is
 * then not at fault.
 */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
	return error instanceof Error && "syscall" in error && "code" in error;
}
