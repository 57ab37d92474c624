import { toErrorMessage } from "../../core/contract/index.ts";

/** The connection has gone. */
export class ConnectionLostError extends Error {
	override readonly name = "ConnectionLostError";
	readonly code = "CONNECTION_LOST";
	/** Whether it was cut from here, because the server no longer answers. */
	readonly isCut: boolean;

	constructor(message: string, { isCut = false, cause }: { readonly isCut?: boolean; readonly cause?: unknown } = {}) {
		super(message, { cause });
		this.isCut = isCut;
	}
}

/** What took a connection away, as its loss. */
export function toLoss(cause: unknown): ConnectionLostError {
	return cause instanceof ConnectionLostError ? cause : new ConnectionLostError(toErrorMessage(cause), { cause });
}
