import { createHash } from "node:crypto";
import { type Clock, isSvcError, type Storage } from "../../contract/index.ts";
import { toTimestamp } from "../../kernel/basics/clock.ts";
import { createId } from "../../kernel/basics/ids.ts";

/** Providers forget codes within minutes. */
const rememberedFor = 86_400_000_000;
const purgedEvery = rememberedFor / 24;
const mostRemoved = 1_000;

/** Sign-ins with a provider that have been finished, on whichever node: each is good for one token. */
export class UsedSignIns {
	readonly #storage: Storage;
	readonly #clock: Clock;
	#nextPurge = 0;

	constructor(storage: Storage, clock: Clock) {
		this.#storage = storage;
		this.#clock = clock;
	}

	/** Whether somebody has used it before. */
	async has(signIn: string): Promise<boolean> {
		const found = await this.#storage.find("used_sign_in", { where: { subject: toSubject(signIn) }, limit: 1 });
		return found.length > 0;
	}

	/** Whether nobody has used it before. */
	async use(signIn: string): Promise<boolean> {
		const now = this.#clock.now();
		const subject = toSubject(signIn);
		try {
			await this.#storage.insert("used_sign_in", [{ id: createId(this.#clock), subject, used_at: toTimestamp(now) }]);
		} catch (error) {
			if (isSvcError(error, "SVC_CONFLICT")) return false;
			throw error;
		}
		await this.#purge(now);
		return true;
	}

	async #purge(now: number): Promise<void> {
		if (now < this.#nextPurge) return;
		this.#nextPurge = now + purgedEvery;
		const used_at = { lt: toTimestamp(now - rememberedFor) };
		await this.#storage.remove("used_sign_in", { where: { used_at }, limit: mostRemoved });
	}
}

function toSubject(signIn: string): string {
	return createHash("sha256").update(signIn).digest("hex");
}
