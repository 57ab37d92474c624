import { mkdir, open, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { type Logger, type Options, SvcError } from "../../core/contract/index.ts";
import { findKeys, judge, parseKnownHosts, toFingerprint, toKnownName, typeOf } from "./known-hosts.ts";

interface HostKeysOptions {
	readonly policy: Options["ssh_runner"]["host_key_check"];
	readonly file: string;
	readonly logger: Logger;
}

/** Signature algorithms for each key type: an RSA key has more than one. */
const algorithms: Readonly<Record<string, readonly string[]>> = {
	"ssh-ed25519": ["ssh-ed25519"],
	"ecdsa-sha2-nistp256": ["ecdsa-sha2-nistp256"],
	"ecdsa-sha2-nistp384": ["ecdsa-sha2-nistp384"],
	"ecdsa-sha2-nistp521": ["ecdsa-sha2-nistp521"],
	"ssh-rsa": ["rsa-sha2-512", "rsa-sha2-256"],
};

/** Verifies the identity of hosts with a known_hosts file, and applies the policy for hosts that the file does not contain. */
export class HostKeys {
	readonly #options: HostKeysOptions;
	/** Serializes verifications, so that concurrent ones add a new key only once. */
	#last: Promise<unknown> = Promise.resolve();

	constructor(options: HostKeysOptions) {
		this.#options = options;
	}

	/** Returns the algorithms to prefer, so that a server with several keys offers the one in the file. */
	async findAlgorithms(host: string, port: number): Promise<readonly string[]> {
		if (this.#options.policy === "off") return [];
		const keys = findKeys(parseKnownHosts(await this.#read()), toKnownName(host, port)).filter(({ marker }) => marker === undefined);
		return keys.flatMap(({ key }) => algorithms[typeOf(key)] ?? []);
	}

	/** Verifies a host key. Rejects with `SVC_RUNNER` if it must not be accepted. */
	verify(host: string, port: number, key: Buffer): Promise<void> {
		if (this.#options.policy === "off") return Promise.resolve();
		const verified = this.#last.then(() => this.#verify(toKnownName(host, port), key));
		this.#last = verified.catch(() => {});
		return verified;
	}

	async #verify(name: string, key: Buffer): Promise<void> {
		const { file, policy, logger } = this.#options;
		const text = await this.#read();
		const judged = judge(parseKnownHosts(text), name, key);
		if (judged.verdict === "known") return;
		const offered = toFingerprint(key);
		if (judged.verdict === "revoked") throw new SvcError("SVC_RUNNER", `host key ${offered} of ${name} is revoked in ${file}`);
		if (judged.verdict === "changed") {
			const known = toFingerprint(judged.known);
			const advice = "possible attack; if the host was reinstalled, remove its line";
			throw new SvcError("SVC_RUNNER", `host key of ${name} has changed: ${file} holds ${known}, the host offers ${offered}; ${advice}`);
		}
		if (policy === "strict") {
			throw new SvcError("SVC_RUNNER", `host key ${offered} of ${name} is not in ${file}, and ssh_runner.host_key_check is "strict"`);
		}
		await append(file, `${text === "" || text.endsWith("\n") ? "" : "\n"}${name} ${typeOf(key)} ${key.toString("base64")}\n`);
		logger.info("host key accepted", { host: name, key: offered, file });
	}

	async #read(): Promise<string> {
		const { file } = this.#options;
		return readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
			if (error.code === "ENOENT") return "";
			throw new SvcError("SVC_RUNNER", `"ssh_runner.known_hosts": ${file} cannot be read: ${error.code}`, { cause: error });
		});
	}
}

/** Appends a line in a single write, so that concurrent additions of other processes are neither lost nor mixed with it. */
async function append(path: string, line: string): Promise<void> {
	try {
		await mkdir(dirname(path), { recursive: true, mode: 0o700 });
		const file = await open(path, "a", 0o600);
		try {
			await file.write(line);
			await file.datasync();
		} finally {
			await file.close();
		}
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		throw new SvcError("SVC_RUNNER", `"ssh_runner.known_hosts": ${path} cannot be written: ${code}`, { cause: error });
	}
}
