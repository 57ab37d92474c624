import { access, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import {
	type AuthBackend,
	type Credentials,
	defineAuthBackend,
	type Identity,
	type PluginContext,
	SvcError,
} from "../../core/contract/index.ts";
import { OptionReader } from "../_options/option-reader.ts";
import { ConversationPool } from "./conversation-pool.ts";
import type { PamAnswer } from "./messages.ts";
import { isRefusal, pamStatus } from "./statuses.ts";

export type { PamOptions };

/** Users of the operating system, verified by PAM. */
export const pam = defineAuthBackend("pam", (options: PamOptions) => new Pam(options));

/** Maximum password bytes that all PAM modules accept. Modules truncate or refuse longer passwords in different ways. */
const maxPasswordLength = 511;
const maxUsernameLength = 256;

class Pam implements AuthBackend {
	readonly #options: unknown;
	readonly #refusals = new RefusalTime();
	readonly #stopping = new AbortController();
	#started: { readonly pool: ConversationPool; readonly settings: PamSettings; readonly logger: PluginContext["logger"] } | undefined;

	constructor(options: unknown) {
		this.#options = options;
	}

	async check(): Promise<void> {
		assertMayVerify(parseSettings(this.#options));
		assertPackage();
	}

	async start({ logger }: PluginContext): Promise<void> {
		const settings = parseSettings(this.#options);
		assertMayVerify(settings);
		if (!(await isServiceDefined(settings.service))) {
			logger.warn('PAM service is not defined; the rules of "other" apply', { service: settings.service });
		}
		const pool = new ConversationPool({ logger, timeout: settings.timeout * 1_000 });
		this.#started = { pool, settings, logger };
		await pool.start();
	}

	async stop(): Promise<void> {
		this.#stopping.abort(new SvcError("SVC_UNAVAILABLE", "the auth backend has been stopped"));
		await this.#started?.pool.stop();
	}

	async authenticate({ username, password }: Credentials, { signal }: { readonly signal: AbortSignal }): Promise<Identity | undefined> {
		signal.throwIfAborted();
		if (this.#started === undefined) throw new SvcError("SVC_UNAVAILABLE", "the auth backend has not been started");
		if (!isName(username) || !isPassword(password)) return undefined;
		const { service } = this.#started.settings;
		const answer = await this.#started.pool.converse({ service, username, password }, signal);
		this.#refusals.observe(answer.elapsed);
		if (answer.status === pamStatus.success) return { username: answer.username };
		if (!isRefusal(answer.status)) throw toError(service, answer);
		this.#started.logger.debug("PAM refused", { user: username, reason: answer.text });
		await this.#refusals.wait({ ...answer, signal: AbortSignal.any([signal, this.#stopping.signal]) });
		return undefined;
	}
}

function toError(service: string, { status, text }: PamAnswer): SvcError {
	return new SvcError("SVC_UNAVAILABLE", `PAM service "${service}" could not verify the password: ${text} (status ${status})`);
}

/**
 * Returns true if the username is usable. A NUL would end the name early in the modules, and control characters would get into their logs.
 */
function isName(username: string): boolean {
	return username !== "" && Buffer.byteLength(username) <= maxUsernameLength && !/\p{Cc}/u.test(username);
}

function isPassword(password: string): boolean {
	return password !== "" && Buffer.byteLength(password) <= maxPasswordLength && !password.includes("\0");
}

/** Minimum and maximum milliseconds of a refusal. The maximum prevents one slow call of a module from delaying all later refusals. */
const minRefusalMs = 250;
const maxRefusalMs = 8_000;
const maxDelay = 10_000;

interface RefusalWait {
	/** Milliseconds that PAM took. */
	readonly elapsed: number;
	/** Additional delay in milliseconds that PAM modules request for a refusal. */
	readonly delay: number;
	readonly signal: AbortSignal;
}

/**
 * Makes every refusal take equally long, because PAM responds sooner for an unknown user, whose password it does not verify. The time
 * doubles whenever a response takes longer, so that later differences in load remain hidden.
 */
class RefusalTime {
	#time = minRefusalMs;

	/** Records how long a response took, whatever its result. */
	observe(elapsed: number): void {
		while (this.#time < Math.min(elapsed, maxRefusalMs)) this.#time *= 2;
	}

	/** Resolves when the refusal may be returned. */
	async wait({ elapsed, delay: wanted, signal }: RefusalWait): Promise<void> {
		const rest = Math.max(0, this.#time - elapsed) + Math.min(maxDelay, wanted);
		await delay(rest, undefined, { signal });
	}
}

/** Directories in which distributions store the rules of PAM services, one file for each service. */
const directories = ["/etc/pam.d", "/usr/lib/pam.d", "/usr/share/pam.d", "/usr/etc/pam.d"];
/** Legacy file with the rules of all services. */
const singleFile = "/etc/pam.conf";

/** Returns true if the machine has rules for a PAM service. Without them, PAM uses those of the service `other`. */
async function isServiceDefined(service: string): Promise<boolean> {
	// PAM itself ignores the case of service names.
	const name = service.toLowerCase();
	const found = await Promise.all(directories.map((directory) => exists(join(directory, name))));
	if (found.includes(true)) return true;
	const rules = await readFile(singleFile, "utf8").catch(() => "");
	return rules.split("\n").some((rule) => rule.trim().split(/\s+/)[0]?.toLowerCase() === name);
}

function exists(file: string): Promise<boolean> {
	return access(file).then(
		() => true,
		() => false,
	);
}

interface PamOptions {
	/** Name of the PAM service, which selects the file with its rules in `/etc/pam.d`. Default: `login`. */
	readonly service?: string;
	/** True if the service must not start without root, because only root may verify the passwords of all users. Default: true. */
	readonly check_for_root?: boolean;
	/** Maximum seconds of a PAM conversation. Default: 30. */
	readonly timeout?: number;
}

/** Validated options. */
interface PamSettings {
	readonly service: string;
	readonly checkForRoot: boolean;
	/** Maximum seconds of a PAM conversation. */
	readonly timeout: number;
}

const maxTimeout = 3_600;

function parseSettings(input: unknown): PamSettings {
	const reader = new OptionReader(input);
	const service = reader.text("service") ?? "login";
	// PAM would use only the part after a slash, and would follow "../" to other directories.
	if (!/^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(service)) {
		reader.report("service", `"${service}" must be letters, digits, ".", "_" and "-", such as "login"`);
	}
	const checkForRoot = reader.flag("check_for_root", true);
	const timeout = reader.number("timeout", { minimum: 0.001, maximum: maxTimeout }) ?? 30;
	reader.finish("pam");
	return { service, checkForRoot, timeout };
}

/** Throws `SVC_CONFIG` if root is required and the process is not root. */
function assertMayVerify({ checkForRoot }: PamSettings): void {
	if (!checkForRoot || process.geteuid?.() === 0) return;
	throw new SvcError(
		"SVC_CONFIG",
		"pam: the service must run as root, because only root may verify the passwords of all users; if the PAM service does not need root, set check_for_root: false",
	);
}

/** Throws `SVC_CONFIG` if the package that calls PAM is not installed. */
function assertPackage(): void {
	try {
		import.meta.resolve("koffi");
	} catch (cause) {
		throw new SvcError("SVC_CONFIG", 'pam needs the package "koffi", which is missing: npm install koffi', { cause });
	}
}
