import { createHash } from "node:crypto";
import { type Clock, type EndedSignIn, type Identity, isSvcError, type Storage } from "../../contract/index.ts";
import { toTimestamp } from "../../kernel/basics/clock.ts";
import { createId } from "../../kernel/basics/ids.ts";

/**
 * What a provider has said has ended, as far as sign-ins go that are being finished meanwhile: their tokens are not there yet when those of
 * the session are removed. Kept as long as sign-ins that have been used, beside them.
 */
export class EndedSignIns {
	readonly #storage: Storage;
	readonly #clock: Clock;

	constructor(storage: Storage, clock: Clock) {
		this.#storage = storage;
		this.#clock = clock;
	}

	/** To be called before the tokens are removed. */
	async note({ subject, session }: Pick<EndedSignIn, "subject" | "session">): Promise<void> {
		// A session ends once. Where it is named, its subject goes on in others.
		await this.#note(session === undefined ? toSubjectKey(subject) : toSessionKey(session));
	}

	/** To be called once the token is there. `begun`: when the provider was asked. */
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

/** Unlike any sign-in that has been used: those are hashes of one word. */
function toKey(kind: string, name: string): string {
	return createHash("sha256").update(`ended ${kind} ${name}`).digest("hex");
}
