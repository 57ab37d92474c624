import { toErrorMessage } from "../../core/contract/index.ts";

/** Thrown if the connection was lost or could not be opened. */
export class ConnectionLostError extends Error {
	override readonly name = "ConnectionLostError";
	readonly code = "CONNECTION_LOST";
	/** True if this process closed the connection because the server, or the host's pool, did not respond. */
	readonly isUnresponsive: boolean;

	constructor(message: string, { isUnresponsive = false, cause }: { readonly isUnresponsive?: boolean; readonly cause?: unknown } = {}) {
		super(message, { cause });
		this.isUnresponsive = isUnresponsive;
	}
}

/** Wraps the error that ended a connection in a `ConnectionLostError`. */
export function toConnectionLostError(cause: unknown): ConnectionLostError {
	return cause instanceof ConnectionLostError ? cause : new ConnectionLostError(toErrorMessage(cause), { cause });
}
