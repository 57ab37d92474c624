/** Whether the node itself has refused something, such as room on its disk: no fault of what was being read. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
	return error instanceof Error && "syscall" in error && "code" in error;
}
