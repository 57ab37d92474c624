import { createHash } from "node:crypto";
import { type Identity, isSvcError, type SignOutStatement } from "../../contract/index.ts";
import { toTimestamp } from "../../kernel/basics/clock.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import { createId } from "../../kernel/basics/ids.ts";

/** Microseconds for which a record is kept. The codes of providers expire within minutes. */
const rememberedFor = 86_400_000_000;
const purgedEvery = rememberedFor / 24;
const maxRemoved = 1_000;

/**
 * Finished sign-ins with a provider, processed sign-out messages, and sign-ins whose end the provider has reported; shared by all nodes. A
 * sign-in and a message can be used only once. A sign-in in progress has no token that could be revoked, so it checks `hasEnded` after its
 * token is stored.
 */
export class SignInRecords {
	readonly #parts: Uses<"storage" | "clock">;
	#nextPurge = 0;

	constructor(parts: Uses<"storage" | "clock">) {
		this.#parts = parts;
	}

	/** Returns true if the sign-in or message has been used on any node. */
	async isUsed(signIn: string): Promise<boolean> {
		return (await this.#find(toKey(signIn))) !== undefined;
	}

	/** Marks the sign-in or message as used. Returns false if it had been used before. */
	async use(signIn: string): Promise<boolean> {
		const isNew = await this.#insert(toKey(signIn));
		if (isNew) await this.#purge();
		return isNew;
	}

	/**
	 * Stores that a session has ended, or without `session`, that all sessions of the subject have. Call it before the tokens are removed, so
	 * that no token issued in between remains valid.
	 */
	async noteEnd({ subject, session }: Pick<SignOutStatement, "subject" | "session">): Promise<void> {
		const key = session === undefined ? toSubjectKey(subject) : toSessionKey(session);
		const used_at = this.#ago(0);
		if (await this.#insert(key)) return;
		const known = await this.#find(key);
		if (known !== undefined) await this.#parts.storage.update("used_sign_in", known.id, { used_at });
	}

	/**
	 * Returns true if the sign-in has ended. Call it after the token is stored. `begun` is the time in microseconds just before the request
	 * that verified the user: an earlier end of all sessions of the subject does not affect this sign-in.
	 */
	async hasEnded({ subject, session }: Pick<Identity, "subject" | "session">, begun: number): Promise<boolean> {
		if (session !== undefined && (await this.#find(toSessionKey(session))) !== undefined) return true;
		const ended = subject === undefined ? undefined : await this.#find(toSubjectKey(subject));
		return ended !== undefined && ended.used_at >= toTimestamp(begun);
	}

	async #find(subject: string) {
		const [found] = await this.#parts.storage.find("used_sign_in", { where: { subject }, limit: 1 });
		return found;
	}

	/** Returns false if there was a record with this key. */
	async #insert(subject: string): Promise<boolean> {
		const { storage, clock } = this.#parts;
		try {
			await storage.insert("used_sign_in", [{ id: createId(clock), subject, used_at: this.#ago(0) }]);
			return true;
		} catch (error) {
			if (isSvcError(error, "SVC_CONFLICT")) return false;
			throw error;
		}
	}

	async #purge(): Promise<void> {
		const { storage, clock } = this.#parts;
		if (clock.now() < this.#nextPurge) return;
		this.#nextPurge = clock.now() + purgedEvery;
		await storage.remove("used_sign_in", { where: { used_at: { lt: this.#ago(rememberedFor) } }, limit: maxRemoved });
	}

	#ago(microseconds: number): string {
		return toTimestamp(this.#parts.clock.now() - microseconds);
	}
}

function toSubjectKey(subject = ""): string {
	return toKey(`ended all of ${subject}`);
}

function toSessionKey(session: string): string {
	return toKey(`ended session ${session}`);
}

/** Returns the key of a record. The prefix `ended` distinguishes ended sign-ins from used ones. */
function toKey(text: string): string {
	return createHash("sha256").update(text).digest("hex");
}
