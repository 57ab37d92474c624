import { setTimeout as delay } from "node:timers/promises";
import type { Clock, Credentials, Identity, Logger } from "../../core/contract/index.ts";
import { type Account, type AccountContext, createNobody, findAccount } from "./account.ts";
import { type ConnectionContext, type Ldapts, withConnection } from "./connection.ts";
import { withDirectory } from "./directory.ts";
import { createVerificationError, isRefusal, isServerUnavailable } from "./directory-failure.ts";
import { GroupCache } from "./group-cache.ts";
import { type Server, toUrl } from "./server.ts";
import type { Settings } from "./settings.ts";

export interface SignInOptions {
	readonly ldapts: Ldapts;
	readonly logger: Logger;
	readonly clock: Clock;
}

/** Verifies credentials with the first available server: finds the account, then binds as the user with the password. */
export class SignIn {
	readonly #settings: Settings;
	readonly #ldapts: Ldapts;
	readonly #logger: Logger;
	readonly #hosts: HostList;
	readonly #accounts: AccountContext;
	readonly #pace = new RefusalPace();

	constructor(settings: Settings, { ldapts, logger, clock }: SignInOptions) {
		this.#settings = settings;
		this.#ldapts = ldapts;
		this.#logger = logger;
		this.#hosts = new HostList(settings.servers, clock);
		this.#accounts = { settings, logger, groupCache: new GroupCache(settings.groupCache, clock) };
	}

	async attempt(credentials: Credentials, signal: AbortSignal): Promise<Identity | undefined> {
		let failure: unknown;
		for (const server of this.#hosts.inOrder()) {
			try {
				const identity = await this.#attemptAt(server, credentials, signal);
				this.#hosts.markWell(server);
				return identity;
			} catch (error) {
				signal.throwIfAborted();
				if (!isServerUnavailable(error)) throw error;
				this.#hosts.markFailed(server);
				this.#logger.warn("directory server failed", { server: toUrl(server), error });
				failure = error;
			}
		}
		throw createVerificationError("no directory server can be reached", failure);
	}

	async #attemptAt(server: Server, { username, password }: Credentials, signal: AbortSignal): Promise<Identity | undefined> {
		const context = this.#createContext(signal);
		const account = await withDirectory(server, { ...context, settings: this.#settings }, (directory) =>
			findAccount(username, directory, this.#accounts),
		);
		if (account === undefined) {
			await this.#pretend(server, password, context);
			return undefined;
		}
		const started = performance.now();
		if (await this.#isAccepted(account, password, context)) return { username: account.username, groups: account.groups };
		this.#pace.record(performance.now() - started);
		return undefined;
	}

	async #isAccepted({ dn, server }: Pick<Account, "dn" | "server">, password: string, context: ConnectionContext): Promise<boolean> {
		try {
			await withConnection(server, context, (connection) => connection.bind(dn, password));
			return true;
		} catch (error) {
			if (isRefusal(error)) return false;
			throw isServerUnavailable(error)
				? error
				: createVerificationError(`${toUrl(server)} did not respond to the sign-in of a user`, error);
		}
	}

	/** Refuses an unknown user with the same steps as a wrong password, so that the duration does not reveal that the user is unknown. */
	async #pretend(server: Server, password: string, context: ConnectionContext): Promise<void> {
		const started = performance.now();
		await this.#isAccepted({ dn: createNobody(this.#settings), server }, password, context);
		await this.#pace.even(performance.now() - started, context.signal);
	}

	#createContext(signal: AbortSignal): ConnectionContext {
		const { tls, timeout, debug } = this.#settings;
		return { ldapts: this.#ldapts, tls, timeout, trace: debug ? this.#logger : undefined, signal };
	}
}

/** Microseconds for which a failed server is tried last. */
const avoidance = 60_000_000;

/** The servers of a directory, in the order in which they are tried. */
export class HostList {
	readonly #servers: readonly Server[];
	readonly #clock: Clock;
	readonly #failed = new Map<Server, number>();

	constructor(servers: readonly Server[], clock: Clock) {
		this.#servers = servers;
		this.#clock = clock;
	}

	/** Returns the servers in the configured order, with recently failed ones last, so that a dead server does not delay every sign-in. */
	inOrder(): readonly Server[] {
		const now = this.#clock.now();
		const isAvoided = (server: Server) => now - (this.#failed.get(server) ?? Number.NEGATIVE_INFINITY) < avoidance;
		return [...this.#servers.filter((server) => !isAvoided(server)), ...this.#servers.filter(isAvoided)];
	}

	markFailed(server: Server): void {
		this.#failed.set(server, this.#clock.now());
	}

	markWell(server: Server): void {
		this.#failed.delete(server);
	}
}

const kept = 32;

/**
 * Makes refusing an unknown user take as long as refusing a wrong password. A directory hashes the password only for an existing user; for
 * an unknown one it responds at once. The delay is taken from recorded refusals of existing users.
 */
export class RefusalPace {
	readonly #durations: number[] = [];
	#next = 0;

	/** Records the milliseconds that refusing a wrong password has taken. */
	record(milliseconds: number): void {
		this.#durations[this.#next] = milliseconds;
		this.#next = (this.#next + 1) % kept;
	}

	/** Waits until a refusal that has taken `milliseconds` so far has taken as long as a randomly chosen recorded one. */
	async even(milliseconds: number, signal: AbortSignal): Promise<void> {
		// Choose a random duration instead of the mean, so that both kinds of refusals vary equally.
		const like = this.#durations[Math.floor(Math.random() * this.#durations.length)] ?? 0;
		if (like > milliseconds) await delay(like - milliseconds, undefined, { signal });
	}
}
