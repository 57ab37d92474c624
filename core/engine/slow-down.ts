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
	/** `SVC_TOO_MANY` with `retry_after` while the user must wait at this address, or the address as a whole. */
	check(username: string, address: string | undefined): Promise<void>;
	failed(username: string, address: string | undefined): Promise<void>;
	succeeded(username: string, address: string | undefined): Promise<void>;
	/** Remove what has been forgotten. */
	purge(): Promise<void>;
}

/** An address may fail this many times as often as a user at it: several people may share one. */
const addressFactor = 10;

export function createSlowDown({ storage, clock, limit, longestWait }: SlowDownOptions): SlowDown {
	const subjects = (username: string, address = "") => [
		{ subject: toSubject("user", username, address), limit },
		...(address === "" ? [] : [{ subject: toSubject("address", address), limit: limit * addressFactor }]),
	];
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

	return {
		async check(username, address) {
			if (limit === 0) return;
			for (const { subject } of subjects(username, address)) {
				const known = await find(subject);
				if (known === undefined) continue;
				const wait = fromTimestamp(known.blocked_until) - clock.now();
				if (wait <= 0) continue;
				const seconds = Math.ceil(wait / 1_000_000);
				throw new SvcError("SVC_TOO_MANY", `too many failed sign-ins; try again in ${seconds} seconds`, {
					facts: { retry_after: seconds },
				});
			}
		},
		async failed(username, address) {
			if (limit === 0) return;
			for (const subject of subjects(username, address)) await count(subject);
		},
		async succeeded(username, address) {
			if (limit === 0) return;
			// The address keeps its count: who knows one password may still guess others.
			await storage.remove("sign_in_failure", { where: { subject: toSubject("user", username, address ?? "") } });
		},
		async purge() {
			await storage.remove("sign_in_failure", { where: { last_failure_at: { lt: forgottenBefore() } }, limit: 1_000 });
		},
	};
}

/** Hashed: names tried by strangers, passwords in the wrong field among them, are kept nowhere. */
function toSubject(...parts: readonly string[]): string {
	return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}
