import { tmpdir } from "node:os";
import type { AuthBackend, Clock, Identity, Logger } from "../../core/contract/index.ts";
import { getSystemClock } from "../../core/kernel/basics/clock.ts";
import { createOptions } from "../../core/testing/service-options.ts";
import { ldap } from "./index.ts";
import type { LdapOptions } from "./options.ts";
import { groups, people, type Slapd, service } from "./slapd.test-support.ts";

export interface LogLine {
	readonly level: keyof Logger;
	readonly message: string;
	readonly fields: Readonly<Record<string, unknown>>;
}

export interface StartedBackend {
	readonly backend: AuthBackend;
	readonly log: LogLine[];
	authenticate(username: string, password: string, signal?: AbortSignal): Promise<Identity | undefined>;
	/** The name it was verified as, or undefined when refused. */
	signIn(username: string, password: string): Promise<string | undefined>;
}

/** Options for a directory that `startSlapd` has started. Everybody in `cn=staff` may sign in. */
export function toOptions(slapd: Slapd, more: Partial<LdapOptions> = {}): LdapOptions {
	return {
		bind_dn: service.dn,
		bind_password: service.password,
		base_ou: people,
		base_ou_group: groups,
		group_dns: ["cn=staff"],
		host: "127.0.0.1",
		port: more.use_ssl === true ? slapd.ports.ldaps : slapd.ports.ldap,
		...more,
	};
}

export async function startBackend(options: LdapOptions, clock: Clock = getSystemClock()): Promise<StartedBackend> {
	const log: LogLine[] = [];
	const note =
		(level: keyof Logger) =>
		(message: string, fields: LogLine["fields"] = {}) =>
			void log.push({ level, message, fields });
	const logger: Logger = { debug: note("debug"), info: note("info"), warn: note("warn"), error: note("error") };
	const backend = ldap(options).create();
	await backend.start?.({ logger, clock, dataDirectory: tmpdir(), nodeId: "test", options: createOptions() });
	const authenticate: StartedBackend["authenticate"] = (username, password, signal = new AbortController().signal) =>
		backend.authenticate({ username, password }, { signal });
	return { backend, log, authenticate, signIn: async (username, password) => (await authenticate(username, password))?.username };
}

/** Use a started backend and stop it. */
export async function withBackend(options: LdapOptions, use: (started: StartedBackend) => Promise<void>, clock?: Clock): Promise<void> {
	const started = await startBackend(options, clock);
	try {
		await use(started);
	} finally {
		await started.backend.stop?.();
	}
}
