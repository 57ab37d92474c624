import type { SecureVersion } from "node:tls";
import type { OptionReader } from "../_options/option-reader.ts";

/** Settings that `client_options` can change. */
export interface ClientSettings {
	/** Maximum seconds that a server may spend on a search. */
	readonly timeLimit?: number;
	/** Paths of the client certificate and its key. */
	readonly certificate?: string;
	readonly key?: string;
	/** Verify the server even without `cacert`, with the certificate authorities of Node.js. */
	readonly verify?: true;
	readonly minimumVersion?: SecureVersion;
}

interface ClientOption {
	readonly allowed: string;
	/** Converts the value of an option. Returns undefined if it is not allowed. */
	convert(value: unknown): ClientSettings | undefined;
}

const versions: ReadonlyMap<unknown, SecureVersion> = new Map([
	[0x302, "TLSv1.1"],
	[0x303, "TLSv1.2"],
	[0x304, "TLSv1.3"],
]);

/** Supported options by libldap number, as in configurations of other clients. */
const clientOptions: Readonly<Record<string, ClientOption>> = {
	4: {
		allowed: "time limit of a search, a whole number of seconds from 1",
		convert: (value) => (typeof value === "number" && Number.isInteger(value) && value >= 1 ? { timeLimit: value } : undefined),
	},
	17: { allowed: "protocol version, 3", convert: (value) => (value === 3 ? {} : undefined) },
	24580: { allowed: "client certificate, the path of a file", convert: (value) => (isPath(value) ? { certificate: value } : undefined) },
	24581: { allowed: "key of the client certificate, the path of a file", convert: (value) => (isPath(value) ? { key: value } : undefined) },
	24582: {
		allowed: "verification of server certificates, 2 (required; without cacert, by the certificate authorities of Node.js)",
		convert: (value) => (value === 2 ? { verify: true } : undefined),
	},
	24583: {
		allowed: "oldest TLS version, 770 (1.1), 771 (1.2) or 772 (1.3)",
		convert: (value) => {
			const minimumVersion = versions.get(value);
			return minimumVersion === undefined ? undefined : { minimumVersion };
		},
	},
};

/** libldap numbers of settings for which this backend has a named option. */
const ownNames: Readonly<Record<string, string>> = { 8: "chase_referrals", 20485: "network_timeout", 24578: "cacert" };

export function readClientOptions(reader: OptionReader): ClientSettings {
	let settings: ClientSettings = {};
	for (const [number, value] of Object.entries(reader.object("client_options"))) {
		const option = Object.hasOwn(clientOptions, number) ? clientOptions[number] : undefined;
		const converted = option?.convert(value);
		if (converted === undefined) reader.report(`client_options.${number}`, describeProblem(number, option));
		settings = { ...settings, ...converted };
	}
	if ((settings.certificate === undefined) !== (settings.key === undefined)) {
		reader.report("client_options", "24580 (client certificate) and 24581 (its key) must be set together");
	}
	return settings;
}

function describeProblem(number: string, option: ClientOption | undefined): string {
	if (option !== undefined) return `must be: ${option.allowed}`;
	if (Object.hasOwn(ownNames, number)) return `is the option ${ownNames[number]}`;
	return `unknown; allowed: ${Object.entries(clientOptions)
		.map(([known, { allowed }]) => `${known} (${allowed})`)
		.join(", ")}`;
}

function isPath(value: unknown): value is string {
	return typeof value === "string" && value !== "" && !value.includes("\0");
}
