import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AuthBackend, Credentials, Logger } from "../../core/contract/index.ts";
import { createOptions } from "../../core/testing/service-options.ts";
import { type PamOptions, pam } from "./index.ts";

/** In front of every name, so that neither a user of the machine nor one of another test file is touched. */
const prefix = `svct-${process.pid}-`;
const users = new Set<string>();
const serviceFiles = new Set<string>();

export const unixRules = "auth required pam_unix.so nodelay\naccount required pam_unix.so\n";

/** The name of a real user of the machine with this password. Made where it is missing. */
export function makeUser({ username, password }: Credentials): string {
	const name = `${prefix}${username}`;
	if (!users.has(name)) {
		removeUser(name);
		execFileSync("useradd", ["--no-create-home", "--no-user-group", name], { stdio: ["ignore", "ignore", "pipe"] });
		users.add(name);
	}
	execFileSync("chpasswd", ["-c", "SHA256", "-s", "1000"], { input: `${name}:${password}\n` });
	return name;
}

/** The name of a PAM service with these rules. */
export function makeService(rules: string): string {
	const name = `${prefix}${serviceFiles.size}`;
	serviceFiles.add(name);
	setRules(name, rules);
	return name;
}

export function setRules(service: string, rules: string): void {
	writeFileSync(join("/etc/pam.d", service), rules);
}

export function cleanUp(): void {
	for (const name of users) removeUser(name);
	for (const name of serviceFiles) rmSync(join("/etc/pam.d", name), { force: true });
}

export interface StartedPam {
	readonly backend: AuthBackend;
	readonly logs: { readonly message: string; readonly fields: Readonly<Record<string, unknown>> }[];
	/** `username` as PAM has it. */
	signIn(username: string, password: string, signal?: AbortSignal): Promise<string | undefined>;
}

export async function withPam(options: PamOptions, use: (started: StartedPam) => Promise<void>): Promise<void> {
	const backend = pam(options).create();
	const logs: StartedPam["logs"] = [];
	const log = (message: string, fields = {}) => void logs.push({ message, fields });
	const logger: Logger = { debug: log, info: log, warn: log, error: log };
	try {
		await backend.start?.({ logger, clock: { now: () => 0 }, dataDirectory: "/nonexistent", nodeId: "test", options: createOptions() });
		const signIn: StartedPam["signIn"] = async (username, password, signal = new AbortController().signal) =>
			(await backend.authenticate({ username, password }, { signal }))?.username;
		await use({ backend, logs, signIn });
	} finally {
		await backend.stop?.();
	}
}

/** A backend whose users have the names without what stands in front of them on this machine. */
export function toUnprefixed(backend: AuthBackend): AuthBackend {
	return {
		authenticate: async ({ username, password }, options) => {
			const identity = await backend.authenticate({ username: `${prefix}${username}`, password }, options);
			return identity && { username: identity.username.slice(prefix.length) };
		},
		stop: async () => backend.stop?.(),
	};
}

/** Ids of the processes that the backend has started. */
export function findProcesses(): number[] {
	return readdirSync("/proc")
		.filter((name) => /^\d+$/.test(name))
		.map(Number)
		.filter((id) => readProcess(id, "comm") === "svc-pam\n" && parentOf(id) === process.pid);
}

/** A file of /proc; empty when the process has ended. */
export function readProcess(id: number, file: string): string {
	try {
		return readFileSync(join("/proc", String(id), file), "utf8");
	} catch {
		return "";
	}
}

function parentOf(id: number): number {
	return Number(/\) \w (\d+)/.exec(readProcess(id, "stat"))?.[1]);
}

function removeUser(name: string): void {
	try {
		execFileSync("userdel", [name], { stdio: "ignore" });
	} catch {
		// There was none.
	}
}
