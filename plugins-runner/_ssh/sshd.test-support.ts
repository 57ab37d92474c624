import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { findFreePort } from "../../core/testing/services/free-port.test-support.ts";
import { missing, requires, type SkippableTest } from "../../core/testing/test-requirements.ts";

const run = promisify(execFile);

export interface SshdOptions {
	/** Port to use again. Default a free one. */
	readonly port?: number;
	/** Further lines of its configuration; of each keyword the first line counts. */
	readonly configuration?: readonly string[];
	/** Public keys that may sign in, besides that of the site. */
	readonly authorized?: readonly string[];
	/** Type of its host key. Default `ed25519`. */
	readonly hostKey?: string;
}

/** A real sshd on a port of its own, as the user who runs the tests. */
export interface Sshd {
	readonly port: number;
	/** Its host key as a line of known_hosts has it: type and key. */
	readonly hostKey: string;
	/** What it has logged: a line for each connection and sign-in. */
	log(): string;
	/** End it with every connection. May be called twice. */
	stop(): Promise<void>;
}

/** A directory with keys for signing in, and the servers started in it. */
export interface SshSite {
	readonly directory: string;
	readonly username: string;
	/** Path of a private key that every server lets in. */
	readonly key: string;
	readonly knownHosts: string;
	createKey(name: string, ...options: readonly string[]): Promise<string>;
	startSshd(options?: SshdOptions): Promise<Sshd>;
	/** A port where nothing listens. */
	findDeadPort(): Promise<number>;
	stop(): Promise<void>;
}

/** A test function for tests that need sshd and perhaps more commands. */
export function sshdTest(test: SkippableTest, ...more: readonly string[]): ReturnType<typeof requires>["test"] {
	const commands = ["sshd", "ssh-keygen", ...more];
	return requires(test, { command: commands.find((command) => missing({ command }) !== undefined) ?? "sshd" }).test;
}

export async function createSshSite(): Promise<SshSite> {
	const directory = await mkdtemp(join(tmpdir(), "svc-ssh-"));
	const servers: Sshd[] = [];
	let started = 0;
	const createKey = async (name: string, ...options: readonly string[]) => {
		const path = join(directory, name);
		const given = options.length === 0 ? ["-t", "ed25519", "-N", ""] : options;
		await run("ssh-keygen", ["-q", "-f", path, "-C", name, ...given]);
		return path;
	};
	const key = await createKey("id_tests");
	return {
		directory,
		key,
		createKey,
		username: userInfo().username,
		knownHosts: join(directory, "known_hosts"),
		findDeadPort: findFreePort,
		async startSshd(options = {}) {
			const authorized = [await readFile(`${key}.pub`, "utf8"), ...(options.authorized ?? [])];
			const server = await startSshd(join(directory, `sshd-${++started}`), { ...options, authorized });
			servers.push(server);
			return server;
		},
		async stop() {
			for (const server of servers) await server.stop();
			await rm(directory, { recursive: true });
		},
	};
}

async function startSshd(directory: string, options: SshdOptions): Promise<Sshd> {
	await mkdir(directory, { mode: 0o755 });
	// The server insists on it when it runs as root; distributions make it when the system starts.
	if (process.getuid?.() === 0) await mkdir("/run/sshd", { recursive: true, mode: 0o755 });
	const port = options.port ?? (await findFreePort());
	await run("ssh-keygen", ["-q", "-t", options.hostKey ?? "ed25519", "-N", "", "-C", "", "-f", join(directory, "host_key")]);
	await writeFile(join(directory, "authorized_keys"), (options.authorized ?? []).map((line) => `${line.trim()}\n`).join(""));
	await writeFile(join(directory, "sshd_config"), toConfiguration(directory, port, options));
	const child = spawn("/usr/sbin/sshd", ["-D", "-e", "-f", join(directory, "sshd_config")], {
		stdio: ["ignore", "ignore", "pipe"],
		detached: true,
	});
	const lines: string[] = [];
	await new Promise<void>((resolve, reject) => {
		createInterface({ input: child.stderr }).on("line", (line) => {
			lines.push(line);
			if (line.startsWith("Server listening on")) resolve();
		});
		child.on("error", reject);
		child.on("exit", () => reject(new Error(`sshd has ended: ${lines.join("\n")}`)));
	});
	const hostKey = (await readFile(join(directory, "host_key.pub"), "utf8")).trim();
	return { port, hostKey, log: () => lines.join("\n"), stop: () => end(child) };
}

function toConfiguration(directory: string, port: number, { configuration = [] }: SshdOptions): string {
	return [
		...configuration,
		`Port ${port}`,
		"ListenAddress 127.0.0.1",
		`HostKey ${directory}/host_key`,
		"PidFile none",
		`AuthorizedKeysFile ${directory}/authorized_keys`,
		"StrictModes no",
		"UsePAM no",
		"PasswordAuthentication no",
		"KbdInteractiveAuthentication no",
		"PermitRootLogin yes",
		"MaxStartups 100",
		"Subsystem sftp internal-sftp",
		// A bash that has been started by another shell does not read the user's .bashrc, which may take longer than a test.
		"SetEnv SHLVL=1",
		"LogLevel VERBOSE",
		"",
	].join("\n");
}

/** Its connections are processes of their own, in sessions of their own, that outlive it. */
async function end(child: ChildProcess): Promise<void> {
	if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
	const exited = once(child, "exit");
	const { stdout } = await run("ps", ["-A", "-o", "pid=,ppid="]);
	const children = stdout.split("\n").map((line) => line.trim().split(/\s+/).map(Number));
	for (const [pid, parent] of children) if (parent === child.pid && pid !== undefined) tryKill(pid);
	tryKill(child.pid);
	await exited;
}

function tryKill(pid: number): void {
	try {
		process.kill(pid, "SIGKILL");
	} catch {
		// It has ended meanwhile.
	}
}
