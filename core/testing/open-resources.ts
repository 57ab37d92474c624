import * as assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";

/** Milliseconds. */
const patience = 2_000;

/**
 * What keeps the process going now. `assertNothingNew` fails when there is more of any kind after a while: handles are closed in a later
 * turn of the event loop.
 *
 * @param passing kinds that do not count, besides the timers of the one who asks
 */
export function watchOpenResources(passing: readonly string[] = []): { assertNothingNew(): Promise<void> } {
	const count = () => {
		const counts = new Map<string, number>();
		for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
		for (const kind of ["Timeout", "Immediate", ...passing]) counts.delete(kind);
		return counts;
	};
	const before = count();
	// Kind by kind: something that was just closing must not hide something that was left open.
	const findNew = () => [...count()].filter(([kind, number]) => number > (before.get(kind) ?? 0)).map(([kind]) => kind);
	return {
		async assertNothingNew() {
			const deadline = performance.now() + patience;
			while (findNew().length > 0 && performance.now() < deadline) await delay(10);
			assert.deepEqual(findNew(), [], "left open");
		},
	};
}
