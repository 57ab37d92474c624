import { isSvcError } from "../contract/index.ts";
import type { OfferedCredentials, Principal } from "../kernel/basics/principal.ts";

/** Milliseconds between two checks of a credential. */
const checkIntervalMs = 4_000;
/**
 * Milliseconds after which a credential that could not be confirmed counts as lost. Together with the check interval, a stream ends at most
 * 15 s after the last confirmation.
 */
const maxUnconfirmedMs = 11_000;

/** Abort reason of a stream that is ended because its caller is no longer authorized. */
export class StreamUnauthorizedError extends Error {}

/** The credential that a stream was opened with, and its principal at that time. */
export interface StreamCaller {
	readonly offered: OfferedCredentials;
	readonly principal: Principal;
}

export interface StreamAuthorizationOptions {
	/** Returns the current principal of a credential. Throws `SVC_UNAUTHORIZED` if the credential is not valid. */
	authenticate(offered: OfferedCredentials): Promise<Principal>;
	/** Returns milliseconds of a monotonic clock. */
	now(): number;
}

/** Streams that were opened with the same credential while its user had the same rights. */
interface StreamGroup {
	readonly offered: OfferedCredentials;
	readonly rights: string;
	/** Functions that end the streams. */
	readonly enders: Set<(reason: StreamUnauthorizedError) => void>;
	/** Time of the last check that confirmed credential and rights. */
	confirmedAt: number;
	/** True while a check is in progress. */
	isBeingChecked: boolean;
}

/**
 * Ends streams whose credential is no longer valid, or whose user has other rights than when the stream was opened. The content of a stream
 * depends on these rights alone, so a client that is still authorized can simply open another stream. Each credential is checked once per
 * interval, however many streams it has.
 */
export class StreamAuthorization {
	readonly #parts: StreamAuthorizationOptions;
	readonly #groups = new Map<string, StreamGroup>();
	#timer: NodeJS.Timeout | undefined;

	constructor(parts: StreamAuthorizationOptions) {
		this.#parts = parts;
	}

	/** Adds a stream. Calls `end` when the stream must end. Returns a function that removes the stream. */
	add({ offered, principal }: StreamCaller, end: (reason: StreamUnauthorizedError) => void): () => void {
		const rights = toRightsKey(principal);
		const key = JSON.stringify([offered.token, offered.apiKey, rights]);
		const group = this.#groups.get(key) ?? { offered, rights, enders: new Set(), confirmedAt: this.#parts.now(), isBeingChecked: false };
		group.enders.add(end);
		this.#groups.set(key, group);
		this.#timer ??= setInterval(() => void this.check(), checkIntervalMs).unref();
		return () => {
			group.enders.delete(end);
			if (group.enders.size === 0 && this.#groups.get(key) === group) this.#groups.delete(key);
			if (this.#groups.size === 0) this.stop();
		};
	}

	/** Checks every credential, or only those with the given token. Resolves when all have been checked. */
	async check(token?: string): Promise<void> {
		const groups = [...this.#groups.values()].filter(({ offered }) => token === undefined || offered.token === token);
		await Promise.all(groups.map((group) => this.#check(group)));
	}

	/** Stops the periodic checks. */
	stop(): void {
		clearInterval(this.#timer);
		this.#timer = undefined;
	}

	/**
	 * Ends the streams of a group unless the credential and the rights are confirmed. Other errors, such as an unavailable storage,
	 * end the streams only if the last confirmation is at least 11 s old. A short unavailability must not disconnect all clients.
	 */
	async #check(group: StreamGroup): Promise<void> {
		const now = this.#parts.now();
		if (now - group.confirmedAt >= maxUnconfirmedMs) return endStreams(group, "the credential could not be confirmed");
		if (group.isBeingChecked) return;
		group.isBeingChecked = true;
		try {
			const principal = await this.#parts.authenticate(group.offered);
			if (toRightsKey(principal) === group.rights) group.confirmedAt = now;
			else endStreams(group, "the permissions of the user have changed");
		} catch (error) {
			if (isSvcError(error, "SVC_UNAUTHORIZED")) endStreams(group, "the credential is no longer valid");
		} finally {
			group.isBeingChecked = false;
		}
	}
}

function endStreams({ enders }: StreamGroup, reason: string): void {
	for (const end of [...enders]) end(new StreamUnauthorizedError(reason));
}

/** Returns a string that is equal for principals that may see the same records. */
export function toRightsKey({ username, isAdmin, roles, scopes }: Principal): string {
	return JSON.stringify([username, isAdmin, roles, scopes]);
}
