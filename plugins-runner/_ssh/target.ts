import { createHash } from "node:crypto";

/** Address and credentials of a host. All fields except `name` determine which connections may be shared. */
export interface Target {
	/** Host as the user wrote it, for messages. */
	readonly name: string;
	readonly address: string;
	readonly port: number;
	readonly username: string;
	readonly password?: string;
	/** Content of the key, not its path. */
	readonly privateKey?: string;
	readonly passphrase?: string;
	/** Path of the SSH agent's socket. */
	readonly agent?: string;
	/** Jump host for the connection. */
	readonly via?: Target;
}

/** Returns a key that is equal for targets that may share a connection. It is a hash, so that it contains no readable secret. */
export function toConnectionKey(target: Target): string {
	return createHash("sha256")
		.update(JSON.stringify(listParts(target)))
		.digest("base64");
}

function listParts({ address, port, username, password, privateKey, passphrase, agent, via }: Target): readonly unknown[] {
	const parts = [address, port, username, password, privateKey, passphrase, agent].map((part) => part ?? null);
	return via === undefined ? parts : [...parts, listParts(via)];
}

/** Returns the credentials that a login tries, as words for messages. */
export function describeCredentials({ password, privateKey, agent }: Target): string {
	const given = [
		...(password === undefined ? [] : ["password"]),
		...(privateKey === undefined ? [] : ["key"]),
		...(agent === undefined ? [] : ["agent"]),
	];
	return given.join(", ");
}
