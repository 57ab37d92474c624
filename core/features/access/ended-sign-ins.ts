import { createHash } from "node:crypto";
import { type Clock, type Identity, isSvcError, type SignOutStatement, type Storage } from "../../contract/index.ts";
import { toTimestamp } from "../../kernel/basics/clock.ts";
import { createId } from "../../kernel/basics/ids.ts";

/**
 * Sign-ins whose end a provider has reported. A sign-in in progress has no token that could be revoked, so it checks `has` after its token
 * is stored. The records are `used_sign_in` records and are deleted together with those of used sign-ins.
 */
export class EndedSignIns {
	readonly #storage: Storage;
	readonly #clock: Clock;

	constructor(storage: Storage, clock: Clock) {
		this.#storage = storage;
		this.#clock = clock;
	}

	/**
	 * Stores that a session has ended, or without `session`, that all sessions of the subject have. Call it before the tokens are removed, so
	 * that no token issued in between remains valid.
	 */
	async note({ subject, session }: Pick<SignOutStatement, "subject" | "session">): Promise<void> {
		await this.#note(session === undefined ? toSubjectKey(subject) : toSessionKey(session));
	}

	/**
	 * Returns true if the sign-in has ended. Call it after the token is stored. `begun` is the time in microseconds just before the request
	 * that verified the user: an earlier end of all sessions of the subject does not affect this sign-in.
	 */
	async has({ subject, session }: Pick<Identity, "subject" | "session">, begun: number): Promise<boolean> {
		if (session !== undefined && (await this.#endedAt(toSessionKey(session))) !== undefined) return true;
		const endedAt = subject === undefined ? undefined : await this.#endedAt(toSubjectKey(subject));
		return endedAt !== undefined && endedAt >= toTimestamp(begun);
	}

	async #note(key: string): Promise<void> {
		const used_at = toTimestamp(this.#clock.now());
		try {
			await this.#storage.insert("used_sign_in", [{ id: createId(this.#clock), subject: key, used_at }]);
		} catch (error) {
			if (!isSvcError(error, "SVC_CONFLICT")) throw error;
			const [known] = await this.#storage.find("used_sign_in", { where: { subject: key }, limit: 1 });
			if (known !== undefined) await this.#storage.update("used_sign_in", known.id, { used_at });
		}
	}

	async #endedAt(key: string): Promise<string | undefined> {
		const [known] = await this.#storage.find("used_sign_in", { where: { subject: key }, limit: 1 });
		return known?.used_at;
	}
}

function toSubjectKey(subject = ""): string {
	return toKey("all of", subject);
}

function toSessionKey(session: string): string {
	return toKey("session", session);
}

/** Returns the key of an ended sign-in. The prefix `ended` distinguishes it from the keys of used sign-ins in the same records. */
function toKey(kind: string, name: string): string {
	return createHash("sha256").update(`ended ${kind} ${name}`).digest("hex");
}
