import { createHash } from "node:crypto";

/** Where to connect to, and as whom. Everything here but `name` decides about the identity of a connection. */
export interface Target {
	/** As the user named it, for messages. */
	readonly name: string;
	readonly address: string;
	readonly port: number;
	readonly username: string;
	readonly password?: string;
	/** Text of the key. */
	readonly privateKey?: string;
	readonly passphrase?: string;
	/** Socket of the agent. */
	readonly agent?: string;
	/** The host to go through. */
	readonly via?: Target;
}

/** The same for targets that may share a connection. Holds no secret in clear. */
export function toConnectionKey(target: Target): string {
	return createHash("sha256")
		.update(JSON.stringify(listParts(target)))
		.digest("base64");
}

function listParts({ address, port, username, password, privateKey, passphrase, agent, via }: Target): readonly unknown[] {
	const parts = [address, port, username, password, privateKey, passphrase, agent].map((part) => part ?? null);
	return via === undefined ? parts : [...parts, listParts(via)];
}

/** What a sign-in tries, in words. */
export function describeCredentials({ password, privateKey, agent }: Target): string {
	const given = [
		...(password === undefined ? [] : ["password"]),
		...(privateKey === undefined ? [] : ["key"]),
		...(agent === undefined ? [] : ["agent"]),
	];
	return given.join(", ");
}
