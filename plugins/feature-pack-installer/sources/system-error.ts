/**
 * Returns true if the operating system has refused an operation, for example because the disk is full. The content of the pack is then not
 * the cause.
 */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
	return error instanceof Error && "syscall" in error && "code" in error;
}
