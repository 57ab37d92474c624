import type { ConnectionOptions } from "node:tls";
import { SvcError } from "../../core/contract/index.ts";

/**
 * TLS of a connection. `true`: Node.js must trust the server's certificate. An object: options of `tls.connect` of Node.js, with the
 * contents of certificates and keys, not their paths.
 */
export type TlsOption = boolean | Pick<ConnectionOptions, "ca" | "cert" | "key" | "passphrase" | "servername" | "rejectUnauthorized">;

const tlsNames = ["ca", "cert", "key", "passphrase", "servername", "rejectUnauthorized"];

/** Returns the given options. Throws `SVC_CONFIG` if they are not an object or contain a name that is not in `names`. */
export function toOptions(options: unknown, names: readonly string[]): Readonly<Record<string, unknown>> {
	if (!isRecord(options)) throw wrongOption("options", `an object with ${names[0]}`);
	assertKnown("event_bus", options, names);
	return options;
}

/** Returns TLS options for Node.js; returns false and undefined unchanged. Throws `SVC_CONFIG` if the option is invalid. */
export function parseTls(name: string, tls: unknown): false | object | undefined {
	if (tls === undefined || tls === false) return tls;
	if (tls === true) return {};
	if (!isRecord(tls)) throw wrongOption(name, `true, false or an object with ${tlsNames.join(", ")}`);
	assertKnown(`event_bus.${name}`, tls, tlsNames);
	return tls;
}

/** Creates an error without the value of the option, because it may contain a password. */
export function wrongOption(name: string, allowed: string): SvcError {
	return new SvcError("SVC_CONFIG", `event_bus.${name}: must be ${allowed}`);
}

function assertKnown(place: string, options: object, names: readonly string[]): void {
	const unknown = Object.keys(options).find((name) => !names.includes(name));
	if (unknown !== undefined) throw new SvcError("SVC_CONFIG", `${place}: unknown option "${unknown}"; allowed: ${names.join(", ")}`);
}

function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
