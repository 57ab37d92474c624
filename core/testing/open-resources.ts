import * as assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";

/** Milliseconds to wait for resources to be closed. */
const closeTimeoutMs = 2_000;

/**
 * Records the resources that currently keep the process alive. `assertNothingNew` fails if more of any kind are still open after 2 s. It
 * waits for them, because handles are closed in a later turn of the event loop.
 *
 * @param passing kinds that are ignored, in addition to timers
 */
export function watchOpenResources(passing: readonly string[] = []): { assertNothingNew(): Promise<void> } {
	const count = () => {
		const counts = new Map<string, number>();
		for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
		for (const kind of ["Timeout", "Immediate", ...passing]) counts.delete(kind);
		return counts;
	};
	const before = count();
	// Compare each kind: a resource that was just closing must not offset another one that was left open.
	const findNew = () => [...count()].filter(([kind, number]) => number > (before.get(kind) ?? 0)).map(([kind]) => kind);
	return {
		async assertNothingNew() {
			const deadline = performance.now() + closeTimeoutMs;
			while (findNew().length > 0 && performance.now() < deadline) await delay(10);
			assert.deepEqual(findNew(), [], "left open");
		},
	};
}
