import { toTimestamp } from "../../kernel/basics/clock.ts";
import { Duty, type DutyParts } from "../../kernel/coordination/singleton-task.ts";
import { createPace } from "../../kernel/expiry/pacing.ts";
import { createRemoval, removeAged } from "../../kernel/expiry/removal.ts";

/** Seconds between looks. */
const interval = 60;

/** Removes items that have expired, a minute afterwards at the latest. They count as absent before that. */
export function createSweep(parts: DutyParts): Duty {
	const { storage, clock } = parts;
	return new Duty(parts, {
		name: "datastore_sweep",
		interval,
		async work(signal) {
			const now = toTimestamp(clock.now());
			const removal = createRemoval({ storage, pace: createPace(signal), now });
			await removeAged(removal, { kind: "key_value", time: "expire_timestamp", before: now });
		},
	});
}
