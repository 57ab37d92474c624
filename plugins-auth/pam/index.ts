import {
	type AuthBackend,
	type Credentials,
	defineAuthBackend,
	type Identity,
	type PluginContext,
	SvcError,
} from "../../core/contract/index.ts";
import { ConversationPool } from "./conversation-pool.ts";
import type { PamAnswer } from "./messages.ts";
import { RefusalTime } from "./refusal-time.ts";
import { isServiceDefined } from "./service-file.ts";
import { isRefusal, pamStatus } from "./statuses.ts";

export interface PamOptions {
	/** Name of the PAM service: which file of `/etc/pam.d` says how to verify. Default: `login`. */
	readonly service?: string;
	/** Refuse to start without root, who alone may verify everybody's password. Default: true. */
	readonly check_for_root?: boolean;
	/** Seconds that PAM may take. Default: 30. */
	readonly timeout?: number;
}

/** Users of the machine, as PAM knows them. */
export const pam = defineAuthBackend("pam", (options: PamOptions) => new Pam(options));

/** What PAM's modules take; a password of 512 bytes would be cut or refused by each of them in its own way. */
const longestPassword = 511;
const longestUsername = 256;
const longestTimeout = 3_600;

class Pam implements AuthBackend {
	readonly #service: string;
	readonly #checkForRoot: boolean;
	readonly #timeout: number;
	readonly #refusals = new RefusalTime();
	readonly #stopping = new AbortController();
	#started: { readonly pool: ConversationPool; readonly logger: PluginContext["logger"] } | undefined;

	constructor({ service = "login", check_for_root = true, timeout = 30 }: PamOptions) {
		this.#service = service;
		this.#checkForRoot = check_for_root;
		this.#timeout = timeout;
	}

	async start({ logger }: PluginContext): Promise<void> {
		this.#checkOptions();
		if (this.#checkForRoot && process.geteuid?.() !== 0) {
			throw new SvcError(
				"SVC_CONFIG",
				"pam: the service must run as root, who alone may verify everybody's password; where the PAM service needs no root, set check_for_root: false",
			);
		}
		if (!(await isServiceDefined(this.#service))) {
			logger.warn('PAM service is not defined: the rules of "other" hold', { service: this.#service });
		}
		const pool = new ConversationPool({ logger, timeout: this.#timeout * 1_000 });
		this.#started = { pool, logger };
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
		const answer = await this.#started.pool.converse({ service: this.#service, username, password }, signal);
		this.#refusals.observe(answer.elapsed);
		if (answer.status === pamStatus.success) return { username: answer.username };
		if (!isRefusal(answer.status)) throw this.#toError(answer);
		this.#started.logger.debug("PAM refused", { user: username, reason: answer.text });
		await this.#refusals.wait({ ...answer, signal: AbortSignal.any([signal, this.#stopping.signal]) });
		return undefined;
	}

	#checkOptions(): void {
		// PAM would look for the part behind a slash, and for "../" wherever that leads.
		if (!/^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(this.#service)) {
			throw new SvcError("SVC_CONFIG", `pam: service "${this.#service}" must be letters, digits, ".", "_" and "-", such as "login"`);
		}
		if (!(this.#timeout > 0 && this.#timeout <= longestTimeout)) {
			throw new SvcError("SVC_CONFIG", `pam: timeout must be a number of seconds above 0 and up to ${longestTimeout}`);
		}
	}

	#toError({ status, text }: PamAnswer): SvcError {
		return new SvcError("SVC_UNAVAILABLE", `PAM service "${this.#service}" could not verify the password: ${text} (status ${status})`);
	}
}

/** A NUL would end the name early for the modules, and control characters would reach their logs. */
function isName(username: string): boolean {
	return username !== "" && Buffer.byteLength(username) <= longestUsername && !/\p{Cc}/u.test(username);
}

function isPassword(password: string): boolean {
	return password !== "" && Buffer.byteLength(password) <= longestPassword && !password.includes("\0");
}
