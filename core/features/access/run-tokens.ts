import { randomUUID } from "node:crypto";
import type { ExecutionEntity, Options } from "../../contract/index.ts";
import { toTimestamp } from "../../kernel/basics/clock.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import type { IssuedCredentials, RunCredentials } from "../../kernel/runs/run-credentials.ts";
import { type KnownToken, latestExpiry, toHash } from "./tokens.ts";

/**
 * Form of a token of a run: a random part, the id of the execution, and the expiry in seconds. The id must not be the first part. An action
 * may print the id of its execution, and that output must not look like the beginning of a token.
 */
const pattern = /^[0-9a-f]{32}([0-9a-f]{24})([0-9a-f]{10})$/;

export interface RunTokenDependencies extends Uses<"storage" | "clock"> {
	readonly options: Pick<Options, "auth">;
}

/**
 * Tokens with which actions use the API. A token contains the id of its execution, which stores the hash of the token during the run. So a
 * token needs no record, and the write that ends the run also revokes the token, regardless of which component ends the run.
 */
export class RunTokens implements RunCredentials {
	readonly #parts: RunTokenDependencies;
	/** False if the storage has no token records of runs, which only earlier versions created. Then `toRevocations` returns nothing. */
	#mayHaveRecords = true;

	constructor(parts: RunTokenDependencies) {
		this.#parts = parts;
	}

	/**
	 * If authentication is off, checks once whether token records of an earlier version exist. Without authentication, runs have no token
	 * hash, so the write that ends a run would always include the removal of such a record. If no record exists, the write omits it.
	 */
	async start(): Promise<void> {
		const { storage, options } = this.#parts;
		if (options.auth.enable) return;
		const [kept] = await storage.find("token", { where: { service: true }, fields: ["id"], limit: 1 });
		this.#mayHaveRecords = kept !== undefined;
	}

	/** Issues the token of a run. Returns undefined if authentication is off. */
	issue({ id }: Pick<ExecutionEntity, "id">): IssuedCredentials | undefined {
		const { clock, options } = this.#parts;
		const { enable, service_token_ttl } = options.auth;
		if (!enable) return undefined;
		const expiry = Math.floor(Math.min(clock.now() / 1_000_000 + service_token_ttl, latestExpiry / 1_000_000));
		// `randomUUID` caches random bytes. `randomBytes` needs a system call each time, which takes longer than the rest of this function.
		const secret = `${randomUUID().replaceAll("-", "")}${id}${expiry.toString(16).padStart(10, "0")}`;
		return { token_hash: toHash(secret), environment: this.toEnvironment(secret), secret };
	}

	toEnvironment(secret: string): IssuedCredentials["environment"] {
		return { SVC_ACTION_AUTH_TOKEN: secret };
	}

	/** Returns the write that removes the token record of a run. Earlier versions stored one with the id of the live action. */
	toRevocations({ liveaction_id, token_hash }: ExecutionEntity): ReturnType<RunCredentials["toRevocations"]> {
		return token_hash === null && this.#mayHaveRecords ? [{ remove: "token", where: { id: liveaction_id } }] : [];
	}

	/** Returns the token of a run; undefined if it is unknown or expired, or if the run has ended. */
	async find(token: string): Promise<KnownToken | undefined> {
		const read = parse(token);
		if (read === undefined || read.expiry <= this.#parts.clock.now()) return undefined;
		const [found] = await this.#parts.storage.find("execution", {
			// Check the end as well: nodes of an earlier version do not clear the hash when they end a run.
			where: { id: read.id, token_hash: toHash(token), end_timestamp: null },
			fields: ["liveaction_id", "user", "author", "scopes"],
			limit: 1,
		});
		if (found === undefined) return undefined;
		const { liveaction_id: id, user, author, scopes } = found;
		return { id, user, author, scopes, expiry: toTimestamp(read.expiry), service: true };
	}

	/** Revokes the token before its run ends. */
	async revoke(token: string): Promise<void> {
		const id = parse(token)?.id;
		if (id !== undefined) await this.#parts.storage.update("execution", id, { token_hash: null }, { token_hash: toHash(token) });
	}
}

/** Returns the execution id and the expiry (in microseconds) in a token; undefined if it does not have the form of a run's token. */
function parse(token: string): { readonly id: string; readonly expiry: number } | undefined {
	const [, id, expiry] = pattern.exec(token) ?? [];
	return id === undefined || expiry === undefined ? undefined : { id, expiry: Number.parseInt(expiry, 16) * 1_000_000 };
}
