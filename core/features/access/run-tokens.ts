import { randomUUID } from "node:crypto";
import type { ExecutionEntity, Options } from "../../contract/index.ts";
import { toTimestamp } from "../../kernel/basics/clock.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import type { IssuedCredentials, RunCredentials } from "../../kernel/runs/run-credentials.ts";
import { type KnownToken, latestExpiry, toHash } from "./tokens.ts";

/**
 * What nobody can guess, the id of the execution, and the second in which it expires. In this order: an action may print the id of its
 * execution, which must not look like the beginning of its token.
 */
const pattern = /^[0-9a-f]{32}([0-9a-f]{24})([0-9a-f]{10})$/;

export interface RunTokenOptions extends Uses<"storage" | "clock"> {
	readonly options: Pick<Options, "auth">;
}

/**
 * The tokens with which actions use the API. Each says whose it is, and the execution keeps its hash from the begin of the run to its
 * end: it needs no record of its own, and ends with the same write as the run, whoever ends that.
 */
export class RunTokens implements RunCredentials {
	readonly #parts: RunTokenOptions;
	/** Whether runs may have tokens with records of their own, as an earlier version kept them. */
	#mayHaveRecords = true;

	constructor(parts: RunTokenOptions) {
		this.#parts = parts;
	}

	/**
	 * Where authentication is off no run has a hash, and none a record unless an earlier version has begun it with authentication on: to look
	 * for that once spares the end of each run a statement.
	 */
	async start(): Promise<void> {
		const { storage, options } = this.#parts;
		if (options.auth.enable) return;
		const [kept] = await storage.find("token", { where: { service: true }, fields: ["id"], limit: 1 });
		this.#mayHaveRecords = kept !== undefined;
	}

	/** Undefined while authentication is off. */
	issue({ id }: Pick<ExecutionEntity, "id">): IssuedCredentials | undefined {
		const { clock, options } = this.#parts;
		const { enable, service_token_ttl } = options.auth;
		if (!enable) return undefined;
		const expiry = Math.floor(Math.min(clock.now() / 1_000_000 + service_token_ttl, latestExpiry / 1_000_000));
		// Random bytes would be asked of the system each time, which takes longer than all else here.
		const secret = `${randomUUID().replaceAll("-", "")}${id}${expiry.toString(16).padStart(10, "0")}`;
		return { token_hash: toHash(secret), environment: this.toEnvironment(secret), secret };
	}

	toEnvironment(secret: string): IssuedCredentials["environment"] {
		return { SVC_ACTION_AUTH_TOKEN: secret };
	}

	/** Earlier versions kept a record of its own for the token of a run, with the id of its live action. */
	toRevocations({ liveaction_id, token_hash }: ExecutionEntity): ReturnType<RunCredentials["toRevocations"]> {
		return token_hash === null && this.#mayHaveRecords ? [{ remove: "token", where: { id: liveaction_id } }] : [];
	}

	/** The token of a run that has not ended, unless it has expired. */
	async find(token: string): Promise<KnownToken | undefined> {
		const read = parse(token);
		if (read === undefined || read.expiry <= this.#parts.clock.now()) return undefined;
		const [found] = await this.#parts.storage.find("execution", {
			// Nodes of an earlier version end runs and leave the hash.
			where: { id: read.id, token_hash: toHash(token), end_timestamp: null },
			fields: ["liveaction_id", "user", "author", "scopes"],
			limit: 1,
		});
		if (found === undefined) return undefined;
		const { liveaction_id: id, user, author, scopes } = found;
		return { id, user, author, scopes, expiry: toTimestamp(read.expiry), service: true };
	}

	/** End the token before its run ends. */
	async revoke(token: string): Promise<void> {
		const id = parse(token)?.id;
		if (id !== undefined) await this.#parts.storage.update("execution", id, { token_hash: null }, { token_hash: toHash(token) });
	}
}

/** Whose a token says it is, and until when in microseconds; undefined when it has not the form of a run's. */
function parse(token: string): { readonly id: string; readonly expiry: number } | undefined {
	const [, id, expiry] = pattern.exec(token) ?? [];
	return id === undefined || expiry === undefined ? undefined : { id, expiry: Number.parseInt(expiry, 16) * 1_000_000 };
}
