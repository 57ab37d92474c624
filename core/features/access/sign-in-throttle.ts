import { createHash } from "node:crypto";
import { type Clock, isSvcError, type KnownAddressEntity, type SignInFailureCountEntity, SvcError } from "../../contract/index.ts";
import { fromTimestamp, toTimestamp } from "../../kernel/basics/clock.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import { createId } from "../../kernel/basics/ids.ts";
import { insertIfAbsent } from "../../kernel/basics/insert-if-absent.ts";
import { toClientNetwork } from "./client-network.ts";
import { SignInConcurrency } from "./sign-in-concurrency.ts";

export interface SignInThrottleDependencies extends Uses<"storage"> {
	readonly clock: Clock;
	/** Number of failures of one user from one address at which delays begin; 0 disables the delays. */
	readonly limit: number;
	/** Maximum delay in seconds. Failures expire after ten times this duration. */
	readonly longestWait: number;
}

/** User name and client address of a sign-in. */
export interface ThrottledSubject {
	readonly username: string;
	readonly address: string | undefined;
	readonly signal: AbortSignal;
}

/** Factor by which the limit of an address exceeds the limit of a user at the address: several users may share an address. */
const addressFactor = 10;
/** Factor by which the limit of a user at all addresses exceeds the limit at one. Guesses from many addresses are one attack. */
const userFactor = 4;

interface SubjectLimit {
	readonly subject: string;
	readonly limit: number;
}

/** Counters that a failed sign-in increments. */
interface Counts {
	readonly pair: SubjectLimit;
	/** Counters of all users at the address, and of the user at all addresses. */
	readonly wide: readonly SubjectLimit[];
}

/** Slows down password guessing. Counts failed sign-ins in the storage, so that the limits apply across all nodes. */
export class SignInThrottle {
	readonly #options: SignInThrottleDependencies;
	readonly #gate = new SignInConcurrency();
	readonly #places: KnownSignInAddresses;
	#nextPurge = 0;

	constructor(options: SignInThrottleDependencies) {
		this.#options = options;
		this.#places = new KnownSignInAddresses(options);
	}

	/**
	 * Verifies a sign-in. Throws `SVC_TOO_MANY` with `retry_after`, without verifying, while the user is delayed at this address. Delays of
	 * the whole address, or of the user at all addresses, apply only if the user has not signed in there before. A verification that throws
	 * `SVC_UNAUTHORIZED` counts as a failure.
	 */
	async attempt<T>({ username, address, signal }: ThrottledSubject, verify: () => Promise<T>): Promise<T> {
		const network = toClientNetwork(address ?? "");
		const counts = this.#toCounts(username, network);
		const place = toSubject("place", username, network);
		const isKnown = await this.#places.isKnown(place);
		const limits = isKnown ? [counts.pair] : [counts.pair, ...counts.wide];
		// Check before waiting for a slot as well, so that delayed sign-ins do not occupy slots.
		await this.#check(limits);
		const subject = { pair: counts.pair.subject, address: network, isKnown };
		const work = async () => {
			await this.#check(limits);
			const verified = await this.#count(verify, counts);
			await this.#places.remember(place);
			return verified;
		};
		return this.#gate.run(subject, work, signal);
	}

	#toCounts(username: string, network: string): Counts {
		const { limit } = this.#options;
		const user = { subject: toSubject("name", username), limit: limit * userFactor };
		const address = { subject: toSubject("address", network), limit: limit * addressFactor };
		return { pair: { subject: toSubject("user", username, network), limit }, wide: network === "" ? [user] : [user, address] };
	}

	async #count<T>(verify: () => Promise<T>, { pair, wide }: Counts): Promise<T> {
		if (this.#options.limit === 0) return verify();
		try {
			const verified = await verify();
			// Keep the counts of the address and of the user. A client with one valid password may still guess others. An attack on the
			// user may continue from other addresses.
			await this.#options.storage.remove("sign_in_failure", { where: { subject: pair.subject } });
			return verified;
		} catch (error) {
			if (isSvcError(error, "SVC_UNAUTHORIZED")) {
				for (const counted of [pair, ...wide]) await this.#addFailure(counted);
				await this.#purge();
			}
			throw error;
		}
	}

	async #check(limits: readonly SubjectLimit[]): Promise<void> {
		if (this.#options.limit === 0) return;
		const { storage, clock } = this.#options;
		const records = await storage.find("sign_in_failure", { where: { subject: { in: limits.map(({ subject }) => subject) } } });
		const wait = Math.max(0, ...records.map(({ blocked_until }) => fromTimestamp(blocked_until) - clock.now()));
		if (wait <= 0) return;
		const seconds = Math.ceil(wait / 1_000_000);
		throw new SvcError("SVC_TOO_MANY", `too many failed sign-ins; try again in ${seconds} seconds`, { facts: { retry_after: seconds } });
	}

	async #addFailure({ subject, limit }: SubjectLimit): Promise<void> {
		const { storage, clock } = this.#options;
		for (;;) {
			const known = await this.#find(subject);
			const now = clock.now();
			const failures = known === undefined || known.last_failure_at < this.#forgottenBefore() ? 1 : known.failures + 1;
			const fields = {
				failures,
				last_failure_at: toTimestamp(now),
				blocked_until: toTimestamp(now + this.#toWait(failures, limit) * 1_000_000),
			};
			try {
				if (known === undefined) {
					await storage.insert("sign_in_failure", [{ id: createId(clock), subject, ...fields }]);
					return;
				}
				if ((await storage.update("sign_in_failure", known.id, fields, { failures: known.failures })) !== undefined) return;
			} catch (error) {
				if (!isSvcError(error, "SVC_CONFLICT")) throw error;
			}
		}
	}

	async #find(subject: string): Promise<SignInFailureCountEntity | undefined> {
		const [entity] = await this.#options.storage.find("sign_in_failure", { where: { subject }, limit: 1 });
		return entity;
	}

	/** Returns the delay in seconds: 1 at the limit, doubled by each further failure, at most `longestWait`. */
	#toWait(failures: number, allowed: number): number {
		return failures < allowed ? 0 : Math.min(this.#options.longestWait, 2 ** Math.min(30, failures - allowed));
	}

	/** Deletes expired failures, at most 1,000 once per `longestWait`. Called after failures, because only they create records. */
	async #purge(): Promise<void> {
		const { storage, clock, longestWait } = this.#options;
		if (clock.now() < this.#nextPurge) return;
		this.#nextPurge = clock.now() + longestWait * 1_000_000;
		await storage.remove("sign_in_failure", { where: { last_failure_at: { lt: this.#forgottenBefore() } }, limit: 1_000 });
	}

	#forgottenBefore(): string {
		return toTimestamp(this.#options.clock.now() - this.#options.longestWait * 10_000_000);
	}
}

/**
 * Returns the key of a counter. It is a hash, so that names from failed sign-ins are not stored: they may be passwords in the wrong field.
 * Ignores case, because many directories do: otherwise other spellings of a name would allow further attempts.
 */
function toSubject(...parts: readonly string[]): string {
	return createHash("sha256").update(JSON.stringify(parts).toLowerCase()).digest("hex");
}

const day = 86_400_000_000;
const rememberedFor = 30 * day;
/** Microseconds after which another sign-in from an address updates its record. */
const writtenEvery = day;
const maxRemoved = 1_000;

/** Addresses from which each user signed in during the last 30 days. Failures at other addresses do not delay sign-ins from these. */
class KnownSignInAddresses {
	readonly #parts: Pick<SignInThrottleDependencies, "storage" | "clock">;
	#nextPurge = 0;

	constructor(parts: Pick<SignInThrottleDependencies, "storage" | "clock">) {
		this.#parts = parts;
	}

	async isKnown(subject: string): Promise<boolean> {
		const place = await this.#find(subject);
		return place !== undefined && place.signed_in_at >= this.#ago(rememberedFor);
	}

	async remember(subject: string): Promise<void> {
		const known = await this.#find(subject);
		if (known !== undefined && known.signed_in_at >= this.#ago(writtenEvery)) return;
		const { storage, clock } = this.#parts;
		const signed_in_at = toTimestamp(clock.now());
		if (known !== undefined) await storage.update("sign_in_place", known.id, { signed_in_at });
		// Another node may insert the record at the same time.
		else await insertIfAbsent(() => storage.insert("sign_in_place", [{ id: createId(clock), subject, signed_in_at }]));
		await this.#purge();
	}

	async #find(subject: string): Promise<KnownAddressEntity | undefined> {
		const [place] = await this.#parts.storage.find("sign_in_place", { where: { subject }, limit: 1 });
		return place;
	}

	async #purge(): Promise<void> {
		const { storage, clock } = this.#parts;
		if (clock.now() < this.#nextPurge) return;
		this.#nextPurge = clock.now() + day / 24;
		await storage.remove("sign_in_place", { where: { signed_in_at: { lt: this.#ago(rememberedFor) } }, limit: maxRemoved });
	}

	#ago(microseconds: number): string {
		return toTimestamp(this.#parts.clock.now() - microseconds);
	}
}
