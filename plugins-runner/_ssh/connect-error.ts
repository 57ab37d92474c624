import { isSvcError, SvcError } from "../../core/contract/index.ts";
import { formatAddress } from "./host-list.ts";
import { describeCredentials, type Target } from "./target.ts";

/** The server refused a channel on a working connection, because it allows fewer channels than requested. */
export class ChannelRefused extends Error {
	override readonly name = "ChannelRefused";
}

/** The connection has ended, or the host does not answer. */
export class ConnectionLost extends Error {
	override readonly name = "ConnectionLost";
}

/** Returns an error with the host and the reason why connecting failed. */
export function toConnectError(error: unknown, target: Target, seconds: number): SvcError {
	const where = `host "${target.name}" (${target.username}@${formatAddress(target.address, target.port)})`;
	return new SvcError("SVC_RUNNER", `${where}: ${explain(error, target, seconds)}`, { cause: error });
}

/** Converts an error of `exec`, `sftp` or `forwardOut`. */
export function toChannelError(error: unknown): Error {
	const { reason, message } = error as { readonly reason?: unknown; readonly message?: string };
	// A refusal by the server has a reason; a lost connection has none.
	if (typeof reason === "number" || typeof reason === "string") return new ChannelRefused(`the host refused a channel: ${message}`);
	return new ConnectionLost(`the connection was lost: ${message}`, { cause: error });
}

function explain(error: unknown, target: Target, seconds: number): string {
	if (isSvcError(error)) return error.message;
	const { level, message, code } = error as { readonly level?: string; readonly message?: string; readonly code?: string };
	if (level === "client-timeout") return `not connected within ${seconds} seconds (ssh_runner.ssh_connect_timeout)`;
	if (level === "client-authentication") {
		const tried = describeCredentials(target);
		if (tried === "") return "sign-in refused: give a password or private_key";
		return `sign-in refused (tried: ${tried})`;
	}
	if (code === "ENOTFOUND" || code === "EAI_AGAIN") return `the host name cannot be resolved (${code})`;
	return message === undefined || message === "" ? (code ?? "no connection") : message;
}
