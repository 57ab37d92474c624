import { isSvcError, SvcError } from "../../core/contract/index.ts";
import { formatAddress } from "./host-list.ts";
import { describeCredentials, type Target } from "./target.ts";

/** A channel that the server did not open although the connection is alive: it allows fewer than were asked for. */
export class ChannelRefused extends Error {
	override readonly name = "ChannelRefused";
}

/** The connection ended, or does not answer. */
export class ConnectionLost extends Error {
	override readonly name = "ConnectionLost";
}

/** Why no connection came about, in words that name the host. */
export function toConnectError(error: unknown, target: Target, seconds: number): SvcError {
	const where = `host "${target.name}" (${target.username}@${formatAddress(target.address, target.port)})`;
	return new SvcError("SVC_RUNNER", `${where}: ${explain(error, target, seconds)}`, { cause: error });
}

/** What `exec`, `sftp` and `forwardOut` failed with. */
export function toChannelError(error: unknown): Error {
	const { reason, message } = error as { readonly reason?: unknown; readonly message?: string };
	// A server gives a number for a reason; a lost connection has none.
	if (typeof reason === "number" || typeof reason === "string") return new ChannelRefused(`the host refused a channel: ${message}`);
	return new ConnectionLost(`the connection was lost: ${message}`, { cause: error });
}

function explain(error: unknown, target: Target, seconds: number): string {
	if (isSvcError(error)) return error.message;
	const { level, message, code } = error as { readonly level?: string; readonly message?: string; readonly code?: string };
	if (level === "client-timeout") return `no connection within ${seconds} seconds (ssh_runner.ssh_connect_timeout)`;
	if (level === "client-authentication") {
		const tried = describeCredentials(target);
		if (tried === "") return "sign-in refused; neither password nor private_key was given";
		return `sign-in refused (tried: ${tried})`;
	}
	if (code === "ENOTFOUND" || code === "EAI_AGAIN") return `the name is not known (${code})`;
	return message === undefined || message === "" ? (code ?? "no connection") : message;
}
