import { createHash } from "node:crypto";
import { type Clock, isSvcError, type SignInFailureEntity, type Storage, SvcError } from "../contract/index.ts";
import { fromTimestamp, toTimestamp } from "./clock.ts";
import { createId } from "./ids.ts";

export interface SlowDownOptions {
	readonly storage: Storage;
	readonly clock: Clock;
	/** Failures of one user from one address before each further one costs a wait; 0 switches the slow-down off. */
	readonly limit: number;
	/** Longest wait in seconds; failures are forgotten after ten times as long. */
	readonly longestWait: number;
}

/** Makes guessing passwords slow: counts failed sign-ins in the storage, so that it holds on every node. */
export interface SlowDown {
	/**
	 * Verify a sign-in. `SVC_TOO_MANY` with `retry_after`, and nothing is verified, while the user must wait at this address, or
	 * the address as a whole. What is refused with `SVC_UNAUTHORIZED` counts as a failure.
	 */
	attempt<T>(who: { readonly username: string; readonly address: string | undefined }, verify: () => Promise<T>): Promise<T>;
}

/** An address may fail this many times as often as a user at it: several people may share one. */
const addressFactor = 10;

export function createSlowDown({ storage, clock, limit, longestWait }: SlowDownOptions): SlowDown {
	const subjects = (username: string, address = "") => [
		{ subject: toSubject("user", username, address), limit },
		...(address === "" ? [] : [{ subject: toSubject("address", address), limit: limit * addressFactor }]),
	];
	const turns = new Map<string, Promise<void>>();
	let nextPurge = 0;
	const forgottenBefore = () => toTimestamp(clock.now() - longestWait * 10_000_000);

	async function find(subject: string): Promise<SignInFailureEntity | undefined> {
		const [entity] = await storage.find("sign_in_failure", { where: { subject }, limit: 1 });
		return entity;
	}

	/** Doubles from a second on for each failure beyond the limit. */
	function toWait(failures: number, allowed: number): number {
		return failures < allowed ? 0 : Math.min(longestWait, 2 ** Math.min(30, failures - allowed));
	}

	async function count({ subject, limit: allowed }: { readonly subject: string; readonly limit: number }): Promise<void> {
		for (;;) {
			const known = await find(subject);
			const now = clock.now();
			const failures = known === undefined || known.last_failure_at < forgottenBefore() ? 1 : known.failures + 1;
			const fields = {
				failures,
				last_failure_at: toTimestamp(now),
				blocked_until: toTimestamp(now + toWait(failures, allowed) * 1_000_000),
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

	async function check(username: string, address: string | undefined): Promise<void> {
		for (const { subject } of subjects(username, address)) {
			const known = await find(subject);
			if (known === undefined) continue;
			const wait = fromTimestamp(known.blocked_until) - clock.now();
			if (wait <= 0) continue;
			const seconds = Math.ceil(wait / 1_000_000);
			throw new SvcError("SVC_TOO_MANY", `too many failed sign-ins; try again in ${seconds} seconds`, { facts: { retry_after: seconds } });
		}
	}

	/** Only failures make records, so it is failures that clear away what has been forgotten. */
	async function purge(): Promise<void> {
		if (clock.now() < nextPurge) return;
		nextPurge = clock.now() + longestWait * 1_000_000;
		await storage.remove("sign_in_failure", { where: { last_failure_at: { lt: forgottenBefore() } }, limit: 1_000 });
	}

	async function run<T>(username: string, address: string | undefined, verify: () => Promise<T>): Promise<T> {
		await check(username, address);
		try {
			const verified = await verify();
			// The address keeps its count: who knows one password may still guess others.
			await storage.remove("sign_in_failure", { where: { subject: toSubject("user", username, address ?? "") } });
			return verified;
		} catch (error) {
			if (isSvcError(error, "SVC_UNAUTHORIZED")) {
				for (const subject of subjects(username, address)) await count(subject);
				await purge();
			}
			throw error;
		}
	}

	return {
		attempt({ username, address }, verify) {
			if (limit === 0) return verify();
			// One at a time, or many guesses at once would all begin before the first one counts.
			const key = toSubject("user", username, address ?? "");
			const turn = (turns.get(key) ?? Promise.resolve()).then(() => run(username, address, verify));
			const over = turn.then(
				() => undefined,
				() => undefined,
			);
			turns.set(key, over);
			void over.then(() => {
				if (turns.get(key) === over) turns.delete(key);
			});
			return turn;
		},
	};
}

/**
 * Hashed: names tried by strangers, passwords in the wrong field among them, are kept nowhere. Without case, as many
 * directories compare names: other spellings of a name are no further tries.
 */
function toSubject(...parts: readonly string[]): string {
	return createHash("sha256").update(JSON.stringify(parts).toLowerCase()).digest("hex");
}
