import { type Clock, isSvcError, type SignInPlaceEntity, type Storage } from "../../contract/index.ts";
import { toTimestamp } from "../../kernel/basics/clock.ts";
import { createId } from "../../kernel/basics/ids.ts";

const day = 86_400_000_000;
const rememberedFor = 30 * day;
/** A sign-in a day is written down, not every one. */
const writtenEvery = day;
const mostRemoved = 1_000;

/** Who has signed in from where, of late: what guessers elsewhere do to a user's name does not concern him there. */
export class SignInPlaces {
	readonly #storage: Storage;
	readonly #clock: Clock;
	#nextPurge = 0;

	constructor(storage: Storage, clock: Clock) {
		this.#storage = storage;
		this.#clock = clock;
	}

	async isKnown(subject: string): Promise<boolean> {
		const place = await this.#find(subject);
		return place !== undefined && place.signed_in_at >= this.#ago(rememberedFor);
	}

	async remember(subject: string): Promise<void> {
		const known = await this.#find(subject);
		if (known !== undefined && known.signed_in_at >= this.#ago(writtenEvery)) return;
		const signed_in_at = toTimestamp(this.#clock.now());
		if (known !== undefined) await this.#storage.update("sign_in_place", known.id, { signed_in_at });
		else await this.#insert({ id: createId(this.#clock), subject, signed_in_at });
		await this.#purge();
	}

	async #find(subject: string): Promise<SignInPlaceEntity | undefined> {
		const [place] = await this.#storage.find("sign_in_place", { where: { subject }, limit: 1 });
		return place;
	}

	async #insert(place: SignInPlaceEntity): Promise<void> {
		try {
			await this.#storage.insert("sign_in_place", [place]);
		} catch (error) {
			// Another node has written it down meanwhile.
			if (!isSvcError(error, "SVC_CONFLICT")) throw error;
		}
	}

	async #purge(): Promise<void> {
		if (this.#clock.now() < this.#nextPurge) return;
		this.#nextPurge = this.#clock.now() + day / 24;
		await this.#storage.remove("sign_in_place", { where: { signed_in_at: { lt: this.#ago(rememberedFor) } }, limit: mostRemoved });
	}

	#ago(microseconds: number): string {
		return toTimestamp(this.#clock.now() - microseconds);
	}
}
